#pragma once

#include <string>
#include <string_view>

namespace weft {

/// The character under which a Chinese character is compared: the simplified form, one form for variants. Other code
/// points come back as they are. The first call reads OpenCC's dictionary (some milliseconds); where its files are
/// missing, only a few variants are folded, and the log says so once. Safe from any thread, without a lock for
/// characters seen before.
char32_t fold_han(char32_t c);

/// The text with `fold_han` applied to every Chinese character. Needs valid UTF-8.
std::string fold_han(std::string_view text);

}  // namespace weft
