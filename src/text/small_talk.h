#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "text/plain_words.h"

namespace weft {

/// What a phrase of small talk may do.
enum class TalkPart {
  kGreeting,  ///< stands alone; a name may follow or precede: hello, thanks, goodbye, congratulations
  kAnswer,    ///< stands alone: confirmations, refusals, fillers that are whole utterances
  kPraise,    ///< stands alone and behind a frame: great, 不错
  kFrame,     ///< needs praise behind it: "that sounds"
  kNoun,      ///< only behind praise: "great idea"
  kGlue,      ///< may stand between all others: interjections, intensifiers, particles
  kAddress,   ///< whom one speaks to, behind anything: "guys", 各位
};

/// All phrases, their value a TalkPart. Built once.
const PhraseTable& talk_phrases();

/// Whether a text says nothing beyond its own act: small talk (see `is_empty_talk`), and what is said to confirm that
/// something was heard and will be kept: "Got it, I'll remember that.", "Noted!", "好的，我记住了。". False as soon as
/// it names what is kept. Both languages; linear; safe from any thread.
bool says_nothing(std::string_view text);

/// Whether what a tool gave says only that it was done: "written: 48 bytes", "OK", {"success": true}, 已保存。 Both
/// languages; linear; safe from any thread.
bool is_receipt(std::string_view output);

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
