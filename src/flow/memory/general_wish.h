#pragma once

#include <string_view>

namespace weft {

/// Whether a whole sentence tells how its speaker wants to be answered from now on, in whatever words: it asks
/// something of the one who answers (an instruction, a liking, a request), and says or implies that it holds for all
/// answers ("from here on", "whatever you send me", "with me"; 往后, 凡是, 跟我说话). Not what is asked once, told of
/// others, of former times or of the speaker, or merely supposed. Finds what the grammar of clauses misses, with less
/// precision. Both languages; linear; safe from any thread.
bool is_general_wish(std::string_view sentence);

/// Whether a sentence speaks of what answers are like, or says that something holds on, at all: what does neither is no
/// wish, whatever its meaning is like. Cheap.
bool may_hold_on(std::string_view sentence);

}  // namespace weft
