#pragma once

#include <string>
#include <string_view>

namespace weft {

/// The form under which names of things and fields are compared: `normalize`, then letters, digits and Chinese
/// characters only, English words without their plural ending. "Max_HP" and "max hp" give "maxhp".
std::string name_key(std::string_view text);

/// The common statistic of games that a name stands for, in either language: "health", "hit points", 生命值 and 血 give
/// "hp", 金币 and "coins" give "gold". Empty for any other name. Takes what `name_key` gives. Safe from any thread.
std::string_view stat_of(std::string_view key);

/// Whether a field says how many there are of a thing: count, amount, quantity, 数量. Takes what `name_key` gives.
bool is_count_field(std::string_view key);

}  // namespace weft
