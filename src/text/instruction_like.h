#pragma once

#include <string_view>

#include "text/words.h"

namespace weft {

/// Whether a text reads as if it gave a model orders: it puts former instructions out of force ("ignore all previous
/// instructions", 忽略以上指令), or says what is said to a model alone ("do not tell the user", 不要告诉用户). English
/// and Chinese, by `lexicon/*/injections.txt`. It is a sign and no proof: writing about such texts reads alike, and who
/// words it cleverly is not found. It is meant for what tools and pages say, of which orders are never wanted.
bool reads_like_instructions(std::string_view text);

/// How such a text is announced to a model, in round brackets.
std::string_view suspect_remark(Language language);

}  // namespace weft
