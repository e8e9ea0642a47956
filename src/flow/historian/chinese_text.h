#pragma once

#include <cstddef>
#include <string_view>

#include "base/strings.h"

namespace weft {

constexpr std::size_t kHanSize = 3;  ///< bytes of a common Chinese character

/// The character before this byte; empty at the beginning.
std::string_view character_before(std::string_view text, std::size_t at);

/// Marks and the commonest function words, which end a name or a noun.
bool is_stop(std::string_view character);

/// Whether a clause begins at this byte.
bool begins_clause(std::string_view text, std::size_t at);

/// A mark between clauses: ，。？！；：
bool is_clause_mark(std::string_view character);

/// Whether a number or a demonstrative stands before this byte, so that what begins there may be a measure: 三张, 15张.
bool is_counted(std::string_view text, std::size_t at);

/// Whether two characters and what kind of place they name begin at this byte: 岳麓山, 莫愁湖.
bool names_place(std::string_view text, std::size_t at);

/// The end of the words that begin at `at`: a mark, a function word or one of the characters of `ends`; `at` where that
/// is more than twenty characters away.
std::size_t end_of_run(std::string_view text, std::size_t at, std::string_view ends);

}  // namespace weft
