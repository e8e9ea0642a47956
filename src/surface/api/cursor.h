#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// The longest cursor that is given or taken, in bytes.
inline constexpr std::size_t kMaxCursor = 4096;
/// That of a search, which stands in a body.
inline constexpr std::size_t kMaxSearchCursor = 16'384;

/// A place in a list as clients carry it, in hexadecimal. `list` names the list with all that decides what is in it:
/// whose it is, and its filters. It needs no memory of the server's, so it outlives a restart.
std::string cursor_of(std::string_view list, std::string_view place);

/// The place that a cursor holds; empty for an empty cursor. kInvalidArgument for what is no cursor, and for one of
/// another list.
Result<std::string> place_of_cursor(std::string_view list, std::string_view cursor, std::size_t most = kMaxCursor);

/// A short mark of a text, always the same for the same text: 16 hexadecimal digits.
std::string mark_of(std::string_view text);

/// What is said of a cursor that nobody was given.
Error no_cursor();

}  // namespace weft
