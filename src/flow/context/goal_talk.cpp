#include "flow/context/goal_talk.h"

#include <algorithm>

#include "text/plain_words.h"
#include "text/sentences.h"

namespace weft {
namespace {

enum Talk : int { kState = 1, kEnd };

const PhraseTable& talk_words() {
  static const PhraseTable table = [] {
    PhraseTable phrases;
    phrases.add_list("plans", "goal stated", kState);
    phrases.add_list("plans", "goal ended", kEnd);
    return phrases;
  }();
  return table;
}

}  // namespace

GoalTalk goal_in(std::string_view input) {
  GoalTalk talk;
  for (const std::string_view sentence : sentences(input)) {
    const auto words = plain_words(sentence);
    const bool asks =
        std::any_of(words.begin(), words.end(), [](const PlainWord& word) { return word.kind == WordKind::kQuestion; });
    if (asks) continue;
    for (std::size_t at = 0; at < words.size(); ++at) {
      const auto found = talk_words().longest(words, at);
      // A form without anything behind it sets nothing.
      constexpr std::size_t kLeast = 2;
      if (found.value == kEnd) talk.ended = true;
      if (found.value == kState && at + found.words + kLeast <= words.size()) {
        talk.stated = std::string(sentence);
        break;
      }
    }
  }
  if (!talk.stated.empty()) talk.ended = false;
  return talk;
}

}  // namespace weft
