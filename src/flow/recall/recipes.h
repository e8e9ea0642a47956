#pragma once
#include <string>
#include "weft/config.h"
namespace weft {
struct Recipe { std::string name; bool uses_vectors() const { return name != "words"; } };
inline Result<Recipe> find_recipe(const std::string& name, const RecallSettings&) { return Recipe{name}; }
}  // namespace weft
