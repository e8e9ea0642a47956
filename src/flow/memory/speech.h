#pragma once

#include <string_view>

namespace weft {

/// Words that are not said by a user of themselves to the one who answers. Chinese; cheap; safe from any thread.

/// How much a message is like what is said before others and written down: fillers (就是说, 这个, 对吧) and words to an
/// audience (各位, 大家), by its length. 0 in a short one; from 1 on it is one; at most 2.
double likeness_to_speech(std::string_view message);

/// Whether a sentence tells who it is that speaks: 我是…, 我来自…, 我本身在…. Before others the rest is of the matter.
bool tells_who_speaks(std::string_view sentence);

/// Whether what a sentence says in the first person is said by somebody else: all within quotation marks behind a word
/// of saying, 他说：“我…”, or in a story that is told of, 小说里的主角….
bool is_said_by_others(std::string_view sentence);

}  // namespace weft
