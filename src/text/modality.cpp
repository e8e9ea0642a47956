// Modal verbs, imperatives, aspect and formulas of request, as grammars of both languages list them.
#include "text/modality.h"

#include <array>

namespace weft {
namespace {

constexpr std::array<const char*, kMoodCount> kLists{
    "forbids", "not to",    "not to do", "can not",   "does not", "unasked",  "negates",  "holds off",   "no negation",
    "no rule", "must",      "should",    "needs",     "at most",  "at least", "not over", "below",       "above",
    "over",    "limits",    "safety",    "sensitive", "prefers",  "habits",   "likes",    "remember",    "from now on",
    "request", "long term", "role",      "decision",  "done",     "open",     "risk",     "modal verbs", "borders"};

const PhraseTable& phrases() {
  static const PhraseTable table = [] {
    PhraseTable made;
    for (std::size_t i = 0; i < kLists.size(); ++i) made.add_list("modality", kLists[i], static_cast<int>(i));
    return made;
  }();
  return table;
}

}  // namespace

Modal modal_at(const std::vector<PlainWord>& words, std::size_t at, Moods wanted) {
  Modal found;
  phrases().for_each(words, at, [&](std::size_t length, int value) {
    const auto mood = static_cast<Mood>(value);
    if (!wanted.has(mood) || (found.words != 0 && length != found.words)) return;
    found.words = length;
    found.moods.add(mood);
  });
  return found;
}

}  // namespace weft
