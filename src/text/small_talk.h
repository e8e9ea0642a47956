#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "text/plain_words.h"

namespace weft {

/// Whether a text holds nothing but greetings, thanks, leave-taking, confirmations, praise without an object, fillers,
/// laughter, emoji and punctuation, in Chinese or English, one message or several; a name that is only addressed ("Hi
/// Ann!") counts as nothing. False as soon as one word says something else: a fact, a request, a number, a day. True
/// for a text without words. Linear; safe from any thread.
bool is_empty_talk(std::string_view text);

/// Words of a text that begin with a capital, in the form of `normalize`: in small talk those who are addressed.
using CapitalWords = std::unordered_set<std::string>;
CapitalWords capital_words(std::string_view text);

/// The same for words [begin, end) of a text with these capitals.
bool is_empty_talk(const std::vector<PlainWord>& words, std::size_t begin, std::size_t end,
                   const CapitalWords& capitals);

}  // namespace weft
