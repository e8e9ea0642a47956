#include "flow/compaction/summary_patterns.h"

#include <algorithm>

#include "text/lexicon.h"
#include "text/modality.h"

namespace weft {
namespace {

struct Meaning {
  Moods moods;
  std::uint32_t signs;
  bool negated = false;
};

constexpr Meaning kMeanings[] = {
    {Moods(Mood::kForbids), kSignMust, true},
    {Moods(Mood::kNotTo, Mood::kNotToDo), kSignShould, true},
    {Moods(Mood::kUnasked), kSignSafety, true},
    {Moods(Mood::kNegates), 0, true},
    {Moods(Mood::kMust), kSignMust},
    {Moods(Mood::kShould), kSignShould},
    {Moods(Mood::kAtMost, Mood::kAtLeast, Mood::kNotOver, Mood::kBelow, Mood::kAbove, Mood::kLimits), kSignLimit},
    {Moods(Mood::kDecision), kSignDecision},
    {Moods(Mood::kDone), kSignDone},
    {Moods(Mood::kOpen), kSignOpen},
    {Moods(Mood::kRisk), kSignRisk},
    {Moods(Mood::kPrefers), kSignPrefers},
    {Moods(Mood::kHabit), kSignPrefers | kSignMust},
    {Moods(Mood::kLongTerm), kSignLongTerm},
    {Moods(Mood::kSafety), kSignSafety},
    {Moods(Mood::kSensitive), kSignSensitive},
    {Moods(Mood::kRemember), kSignRemember},
    {Moods(Mood::kFromNowOn), kSignRemember | kSignShould},
    {Moods(Mood::kRequest), kSignRequest},
    // What only keeps shorter phrases inside it from being found.
    {Moods(Mood::kNoNegation, Mood::kNoRule), 0},
};

constexpr Moods all_moods() {
  Moods all;
  for (const Meaning& meaning : kMeanings) all = all | meaning.moods;
  return all;
}

// "一个", "两次": numbers that are written out count as numbers too.
bool is_number_word(const PlainWord& word) {
  static const LexiconWords words = lexicon_both_words("modality", "number words");
  return word.kind == WordKind::kNumber || words.contains(word.text);
}

}  // namespace

Signs find_signs(const std::vector<PlainWord>& words) {
  Signs signs;
  for (std::size_t at = 0; at < words.size();) {
    const Modal match = modal_at(words, at, all_moods());
    for (const Meaning& meaning : kMeanings) {
      if (!match.moods.any(meaning.moods)) continue;
      signs.bits |= meaning.signs;
      signs.negated |= meaning.negated;
    }
    const std::size_t next = at + std::max<std::size_t>(match.words, 1);
    for (; at < next; ++at) signs.number |= is_number_word(words[at]);
  }
  signs.question = !words.empty() && words.back().kind == WordKind::kQuestion;
  if (!signs.number) signs.bits &= ~static_cast<std::uint32_t>(kSignLimit);
  if (signs.any(kSignSensitive) && signs.negated && signs.any(kSignMust | kSignShould)) signs.bits |= kSignSafety;
  return signs;
}

}  // namespace weft
