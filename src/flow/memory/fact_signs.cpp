#include "flow/memory/fact_signs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/strings.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/said_parts.h"
#include "flow/memory/statement_readers.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/speaker_prefix.h"
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

namespace {

constexpr std::size_t kLongest = 5;  // words of a thing

const LexiconWords& belongings() {
  static const LexiconWords words = lexicon_words("en/lasting", "belongings");
  return words;
}

const LexiconWords& belongings_of_a_kind() {
  static const LexiconWords words = lexicon_words("en/lasting", "belongings of a kind");
  return words;
}

const LexiconWords& pets() {
  static const LexiconWords words = lexicon_words("en/people", "animals");
  return words;
}

bool is_pet(const std::string& word) {
  return pets().contains(word) || (word.ends_with('s') && pets().contains(word.substr(0, word.size() - 1)));
}

bool is_several(const std::string& word) {
  return word.ends_with('s') || word == "children" || word == "grandchildren" || word == "people";
}

class Reader {
 public:
  Reader(std::string_view text, const LatinWords& words) : text_(text), words_(words) {}

  /// The words of the thing behind "my" at `at`, with its article; empty where it is none that tells something.
  std::string thing(std::size_t at) const {
    const std::size_t begin = at + 1;
    if (!is_word(begin) || tells_of_moment(begin)) return {};
    for (std::size_t end = begin; end < begin + kLongest && is_word(end); ++end) {
      if (is_function_word(words_[end].lower) || (end > begin && is_called(end))) break;
      if (!ends_phrase(end + 1)) continue;
      const std::string head = words_[end].lower;
      const std::string pair = end > begin ? words_[end - 1].lower + " " + head : head;
      const bool known = belongings().contains(head) || belongings().contains(pair) || is_pet(head);
      if (known || (end > begin && belongings_of_a_kind().contains(head))) return written(begin, end, head);
      break;
    }
    return product(begin);
  }

  /// "sister called Claire" of "my little sister Claire": a name behind one of those that have one; else empty.
  std::string named(std::size_t at) const {
    constexpr std::size_t kAdjectives = 2;
    static const LexiconWords gone = {"late", "ex", "former", "deceased", "first"};
    if (at + 1 < words_.size() && gone.contains(words_[at + 1].lower)) return {};
    for (std::size_t noun = at + 1; noun <= at + 1 + kAdjectives && is_word(noun) && is_word(noun + 1); ++noun) {
      if (words_[noun].capital || is_function_word(words_[noun].lower)) return {};
      if (!is_kept_thing_english(words_[noun].lower) || is_several(words_[noun].lower)) continue;
      const LatinWord& name = words_[noun + 1];
      const bool is_name = name.capital && !name.all_capitals && name.lower.size() > 1 && !names_time(name.lower) &&
                           !is_function_word(name.lower);
      const bool goes_on = noun + 2 < words_.size() && words_[noun + 2].is_word && words_[noun + 2].capital;
      if (!is_name || goes_on) return {};
      return words_[noun].lower + " called " + std::string(text_.substr(name.begin, name.end - name.begin));
    }
    return {};
  }

 private:
  bool is_word(std::size_t at) const {
    return at < words_.size() && words_[at].is_word && words_[at].lower.find('\'') == std::string::npos;
  }

  // "My partner Fenna keeps two rabbits", "our dog Bruno": a name behind who bears it, and the phrase is over.
  bool is_called(std::size_t at) const {
    static const LexiconWords kBearers = lexicon_words("en/telling", "people");
    return words_[at].capital && kBearers.contains(words_[at - 1].lower);
  }

  bool tells_of_moment(std::size_t at) const {
    static const LexiconWords kWords = lexicon_words("en/lasting", "not of belongings");
    return kWords.contains(words_[at].lower);
  }

  // Whether the phrase is over before this word: a mark, the end, a verb or a function word.
  bool ends_phrase(std::size_t at) const {
    if (at >= words_.size() || !words_[at].is_word) return at >= words_.size() || words_[at].lower != "'";
    const std::string& word = words_[at].lower;
    return is_function_word(word) || is_auxiliary(word) || is_modal(word) || is_mid_adverb(word) ||
           (is_base_verb(word) && !belongings_of_a_kind().contains(word)) || is_past_form(word);
  }

  std::string written(std::size_t begin, std::size_t end, const std::string& head) const {
    const std::string words(text_.substr(words_[begin].begin, words_[end].end - words_[begin].begin));
    if (is_several(head) || words_[begin].lower[0] <= '9') return words;
    constexpr std::string_view kVowels = "aeio";
    return (kVowels.find(words_[begin].lower[0]) != std::string_view::npos ? "an " : "a ") + words;
  }

  // "My PlayStation 5", "my Fender guitar": made under a name that is no person's.
  std::string product(std::size_t begin) const {
    std::size_t end = begin;
    while (end < begin + kLongest && is_word(end) && (words_[end].capital || (end > begin && is_model(end)))) ++end;
    if (end == begin || (words_[begin].all_capitals && end == begin + 1)) return {};
    NameGender gender = NameGender::kUnknown;
    if (is_first_name(words_[begin].lower, gender) || names_time(words_[begin].lower)) return {};
    if (!ends_phrase(end) || (end < words_.size() && words_[end].capital)) return {};
    return "a " + std::string(text_.substr(words_[begin].begin, words_[end - 1].end - words_[begin].begin));
  }

  bool is_model(std::size_t at) const {
    return std::any_of(words_[at].lower.begin(), words_[at].lower.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  static bool names_time(const std::string& word) {
    static const LexiconWords kWords = lexicon_words("en/people", "no names");
    return kWords.contains(word);
  }

  std::string_view text_;
  const LatinWords& words_;
};

}  // namespace

std::vector<SaidFact> english_belongings(std::string_view sentence, const std::string& subject) {
  const LatinWords words = read_latin_words(sentence, {});
  const Reader reader(sentence, words);
  std::vector<SaidFact> facts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].lower != "my" && words[i].lower != "our") continue;
    const std::string who(subject.empty() ? "The user" : subject);
    if (const std::string one = reader.named(i); !one.empty()) {
      add_facts(who + " has a " + one + ".", sentence, who, facts);
      continue;
    }
    const std::string thing = reader.thing(i);
    if (thing.empty()) continue;
    facts.push_back(told_fact(who + " has " + thing + ".", sentence));
  }
  return facts;
}

}  // namespace weft
