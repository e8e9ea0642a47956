#pragma once

#include <string>
#include <string_view>

namespace weft {

/// A standing wish and when it applies.
struct ConditionedWish {
  std::string wish;       ///< normalized, without the condition
  std::string condition;  ///< "i ask about weather", 我问天气; empty: it applies always
};

/// Takes off what the speaker does when a wish applies: "Give the price when I ask about a book", 我问菜谱的时候按克写.
/// Two wishes under different conditions are two wishes. Linear; safe from any thread.
ConditionedWish read_wish_condition(std::string_view wish);

}  // namespace weft
