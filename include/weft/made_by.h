#pragma once

#include <array>
#include <span>
#include <string_view>

#include "weft/enum_values.h"

namespace weft {

/// What made something. Every step with a model has a floor, and what comes out says which of them it was.
enum class MadeBy {
  kFloor,  ///< words and rules alone
  kModel,  ///< a chat model, or vectors of an embedder
  kGiven,  ///< the caller: a plan that came with the request
};
std::string_view to_string(MadeBy by);
inline constexpr std::array kMakers{MadeBy::kFloor, MadeBy::kModel, MadeBy::kGiven};
template <>
inline constexpr std::span<const MadeBy> kEnumValues<MadeBy>{kMakers};

}  // namespace weft
