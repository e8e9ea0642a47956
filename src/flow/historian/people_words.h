#pragma once

#include <string_view>
#include <unordered_map>

#include "text/references.h"

namespace weft {

/// English words for people by whom they are to somebody, "sister", "boss", with their gender where the word says it.
const std::unordered_map<std::string_view, Gender>& relatives();

/// People by what they do or are: "author", "mechanic". Nothing of their gender.
bool is_role(std::string_view word);

/// Several people: "parents", "mechanics", "children".
bool is_plural_person(std::string_view word);

}  // namespace weft
