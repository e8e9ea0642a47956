#include "flow/memory/fact_signs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "flow/memory/belongings.h"
#include "flow/memory/said_facts.h"
#include "text/cues.h"
#include "text/lexicon.h"
#include "text/spaced_words.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

// Signs that a word of a list gives: lexicon/*/telling.txt.
constexpr std::array<std::pair<FactSign, View>, 13> kListed{{{FactSign::kSpeaker, "speaker"},
                                                             {FactSign::kOwn, "own"},
                                                             {FactSign::kPeople, "people"},
                                                             {FactSign::kPast, "past"},
                                                             {FactSign::kIntends, "intentions"},
                                                             {FactSign::kPromises, "promises"},
                                                             {FactSign::kHabits, "habits"},
                                                             {FactSign::kAside, "asides"},
                                                             {FactSign::kThinks, "thoughts"},
                                                             {FactSign::kNeeds, "needs"},
                                                             {FactSign::kPresents, "presents"},
                                                             {FactSign::kHealth, "health"},
                                                             {FactSign::kRemarks, "remarks"}}};

constexpr View kGaps = ".,;:!?\"()-";

// A list of English words and phrases of lexicon/en/telling.txt, made ready once.
const SpacedPhrases& english_list(View list) {
  static const auto all = [] {
    std::map<View, SpacedPhrases> made;
    for (const auto& [sign, name] : kListed) made.emplace(name, SpacedPhrases(lexicon("en/telling", name)));
    for (const View name : {"several", "alone", "addressed"})
      made.emplace(name, SpacedPhrases(lexicon("en/telling", name)));
    return made;
  }();
  return all.at(list);
}

// A word with a capital that does not begin the sentence and is not "I".
bool has_capital_within(View sentence) {
  for (std::size_t at = 1; at + 1 < sentence.size(); ++at) {
    if (!is_upper(sentence[at]) || sentence[at - 1] != ' ') continue;
    const bool begins = at >= 2 && View(".!?:").find(sentence[at - 2]) != View::npos;
    if (!begins && sentence[at + 1] >= 'a' && sentence[at + 1] <= 'z') return true;
  }
  return false;
}

bool has_latin_or_digit(View sentence) {
  return std::any_of(sentence.begin(), sentence.end(),
                     [](char c) { return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z'); });
}

// 我们 or "our" without 我 or "my".
bool speaks_of_several(View sentence, const std::string& words, bool chinese) {
  if (!chinese) return english_list("several").any_in(words) && !english_list("alone").any_in(words);
  std::string rest(sentence);
  for (const View several : lexicon("zh/telling", "several"))
    for (auto at = rest.find(several); at != std::string::npos; at = rest.find(several)) rest.erase(at, several.size());
  return rest.size() < sentence.size() && !holds_any(rest, lexicon("zh/telling", "alone"));
}

// 0 up to sixty Chinese characters, 2 from some four hundred on.
double length_of_speech(std::size_t bytes) {
  constexpr double kShort = 180, kMost = 2;
  return std::clamp(std::log(std::max(1.0, static_cast<double>(bytes)) / kShort), 0.0, kMost);
}

// A sentence and its row of words, made once for all lists.
class Told {
 public:
  explicit Told(View sentence)
      : sentence_(sentence),
        chinese_(language_of(sentence) == Language::kChinese),
        words_(chinese_ ? std::string() : spaced_words(normalize(sentence), kGaps)) {}

  bool chinese() const { return chinese_; }
  const std::string& words() const { return words_; }
  /// Whether a word of a list of lexicon/*/telling.txt stands in it.
  bool by(View list) const {
    return chinese_ ? holds_any(sentence_, lexicon("zh/telling", list)) : english_list(list).any_in(words_);
  }

 private:
  View sentence_;
  bool chinese_;
  std::string words_;
};

bool has_word_of(View sentence, std::initializer_list<View> lists) {
  const Told told(sentence);
  return std::any_of(lists.begin(), lists.end(), [&](View list) { return told.by(list); });
}

}  // namespace

bool speaks_of_people(std::string_view sentence) { return has_word_of(sentence, {"speaker", "own", "people"}); }

bool names_people(std::string_view sentence) { return has_word_of(sentence, {"people"}); }

FactSigns fact_signs(const FactSentence& judged, const std::string& subject) {
  const View sentence = judged.text;
  FactSigns signs{};
  const auto set = [&signs](FactSign sign, double value) { signs[static_cast<std::size_t>(sign)] = value; };
  const Told told(sentence);
  const bool chinese = told.chinese();

  const auto own = chinese ? std::vector<SaidFact>() : english_belongings(sentence, subject);
  std::size_t lasting = 0, profile = 0;
  for (const SaidFact& fact : read_said(sentence, subject).facts) {
    const bool taken = std::any_of(own.begin(), own.end(), [&](const SaidFact& one) { return one.text == fact.text; });
    if (fact.attribute == kSaidAttribute && !taken) ++lasting;
    if (fact.attribute != kSaidAttribute && !fact.attribute.starts_with("wish:")) ++profile;
  }
  set(FactSign::kLasts, lasting > 0 ? 1 : 0);
  set(FactSign::kProfile, profile > 0 ? 1 : 0);
  set(FactSign::kBelonging, own.empty() ? 0 : 1);

  for (const auto& [sign, list] : kListed) set(sign, told.by(list));
  set(FactSign::kSeveral, speaks_of_several(sentence, told.words(), chinese));
  set(FactSign::kNames, chinese ? has_latin_or_digit(sentence) : has_capital_within(sentence));
  set(FactSign::kAddressed, told.by("addressed"));
  set(FactSign::kAsks, sentence.ends_with('?') || sentence.ends_with("？"));

  set(FactSign::kNoted, !judged.heading.empty());
  if (chinese && judged.heading.empty()) set(FactSign::kSpeech, length_of_speech(judged.said_at_once));

  const Cues cues = find_cues(sentence);
  set(FactSign::kRequests, cues.has(Cue::kRequest));
  set(FactSign::kContinues, cues.has(Cue::kContinues));
  set(FactSign::kRefers, cues.has(Cue::kRefers));
  set(FactSign::kThanks, cues.has(Cue::kThanks));
  constexpr double kWordsOfOne = 30, kMost = 2;
  const double length = std::min(kMost, cues.words / kWordsOfOne);
  set(FactSign::kLength, length);
  set(FactSign::kLengthSquared, length * length);
  return signs;
}

}  // namespace weft
