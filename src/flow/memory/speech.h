#pragma once

#include <string_view>
#include <vector>

namespace weft {

/// Which words of a message its speaker states, and which are only handed over. Both languages; linear; safe from any
/// thread.

/// A sentence of a message that is its speaker's own.
struct StatedSentence {
  std::string_view text;  ///< a view into the message, without codes, mentions and emoji around it
  bool quotes = false;  ///< holds words of somebody in the first person: a wish perhaps ("Never say 'I …'"), no fact
};

/// The sentences that a message's speaker says as their own. Left out are: text to be translated, summarised,
/// rewritten, corrected or answered, before or behind the request for it, with the request; quoted speech, also where
/// its end is missing; replies and block quotes; letters and e-mails; lines of a transcript; what is made up. None of a
/// message over 8 KB, with code, or of broken text.
std::vector<StatedSentence> stated_sentences(std::string_view message);

/// Whether what a sentence says in the first person is said by somebody else: all within quotation marks behind a word
/// of saying, 他说：“我…”, or in a story that is told of, 小说里的主角…. Chinese.
bool is_said_by_others(std::string_view sentence);

}  // namespace weft
