#pragma once

#include <string_view>

namespace weft {

/// Words that are not said by a user of themselves to the one who answers. Chinese; cheap; safe from any thread.

/// Whether what a sentence says in the first person is said by somebody else: all within quotation marks behind a word
/// of saying, 他说：“我…”, or in a story that is told of, 小说里的主角….
bool is_said_by_others(std::string_view sentence);

}  // namespace weft
