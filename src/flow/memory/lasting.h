#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace weft {

/// Which clauses in the first person tell something that still matters in months: what somebody is, has, does again and
/// again, likes, can, intends, or what has changed in their life. By the class of the verb and what stands beside it:
/// verbs of thinking, saying, asking and feeling tell of the moment. Linear; safe from any thread.

/// `words` as they stand, from the one in the first person on: "I", "I'm", "my", "we've".
bool lasts_english(const std::vector<std::string_view>& words);

/// How many of the words tell it: a reason, a relative clause or an aside behind it is left out.
std::size_t told_words_english(const std::vector<std::string_view>& words);

/// `rest` is what stands behind 我 or 我们 in its clause; `goes_on`: or a clause without a subject behind such a one.
bool lasts_chinese(std::string_view rest, bool goes_on);

/// Whether a clause begins with somebody of one's own: 老公, 爸妈.
bool begins_with_kin(std::string_view clause);

/// The same as `lasts_chinese` of a clause that begins so.
bool kin_lasts(std::string_view clause);

/// Whether what became of a thing or a person behind 我的 matters: 车昨天坏了.
bool own_thing_lasts_chinese(std::string_view rest);

/// Whether a clause without a subject tells what ails its speaker: 最近腰背有点紧.
bool ails_chinese(std::string_view clause);

}  // namespace weft
