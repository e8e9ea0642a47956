#include "flow/memory/fact_meaning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/standing_wish.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/small_talk.h"
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

constexpr std::size_t kLongestThing = 5;  // words of a thing

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
    for (std::size_t end = begin; end < begin + kLongestThing && is_word(end); ++end) {
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
    while (end < begin + kLongestThing && is_word(end) && (words_[end].capital || (end > begin && is_model(end))))
      ++end;
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

namespace {

constexpr double kSure = 0.8;  // log-odds: hardly anything else gets above it
constexpr std::size_t kMostWishSentences = 8;
constexpr std::size_t kShortestWish = 8, kLongestWish = 300;  // bytes
constexpr std::size_t kLongestMessage = 4 * 1024;

}  // namespace

WishSigns wish_signs(std::string_view sentence) {
  const bool asks = sentence.ends_with('?') || sentence.ends_with("？");
  return {!asks && !standing_wishes(sentence, false).empty(), is_general_wish(sentence)};
}

double wish_logit(const WishWeights& weights, std::string_view sentence, std::span<const float> centred) {
  const WishSigns signs = wish_signs(sentence);
  double sum = weights.bias + (signs.clause ? weights.clause : 0) + (signs.general ? weights.general : 0);
  const std::size_t size = std::min(centred.size(), weights.vector.size());
  for (std::size_t i = 0; i < size; ++i)
    sum += static_cast<double>(weights.vector[i]) * static_cast<double>(centred[i]);
  return sum;
}

std::vector<std::string_view> wish_sentences(std::string_view message) {
  std::vector<std::string_view> chosen;
  if (message.size() > kLongestMessage) return chosen;
  for (const auto& [sentence, quotes] : stated_sentences(message)) {
    if (chosen.size() == kMostWishSentences) break;
    if (sentence.size() >= kShortestWish && sentence.size() <= kLongestWish && may_hold_on(sentence))
      chosen.push_back(sentence);
  }
  return chosen;
}

std::vector<SaidFact> judge_wishes(std::string_view message, const std::string& subject, const WishWeights& weights,
                                   const SentenceVector& vector_of, std::vector<SaidFact>& found) {
  std::vector<SaidFact> wishes;
  for (const std::string_view sentence : wish_sentences(message)) {
    const std::vector<float> vector = vector_of(sentence);
    if (vector.empty()) continue;
    const bool sure = wish_logit(weights, sentence, vector) >= kSure;
    bool told = false;  // by the grammar
    for (SaidFact& fact : found) {
      if (!fact.attribute.starts_with("wish:") || sentence.find(fact.quote) == std::string_view::npos) continue;
      // What only the whole sentence says in general is for its meaning to decide.
      if (!sure && clause_wishes(sentence, true).empty())
        fact.text.clear();
      else
        told = true;
    }
    if (told || !sure || !is_whole_wish(sentence)) continue;
    const std::string who(!subject.empty() ? std::string_view(subject) : name_of_speaker(sentence));
    wishes.push_back(wish_fact(who, std::string(sentence)));
  }
  return wishes;
}

WishWeights read_wish_weights(const WeightFile& file) {
  return {file.text("embedder"), file.number("bias"), file.number("clause"), file.number("general"),
          file.scaled("vector", "step")};
}

const WishWeights* wish_weights(std::string_view embedder) {
  static const WishWeights kFitted = read_wish_weights(shipped_weights("wishes"));
  return embedder.find(kFitted.embedder) == std::string_view::npos ? nullptr : &kFitted;
}

namespace {

using View = std::string_view;

bool ends_a_sentence(View line) {
  static constexpr std::array<View, 14> kEnds{"。", "！", "？", "；", "：", "，", "…",
                                              ".",  "!",  "?",  ";",  ":",  ",",  "~"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](View mark) { return line.ends_with(mark); });
}

bool speaks_of_its_speaker(View line) {
  const auto words = lexicon("zh/telling", "speaker");
  return std::any_of(words.begin(), words.end(), [&](View word) { return line.find(word) != View::npos; });
}

// 姓名：王伟: one line of a form.
bool is_entry(View line) {
  constexpr std::size_t kLongestKey = 24;
  return std::min(line.find("："), line.find(':')) <= kLongestKey;
}

}  // namespace

std::string_view note_heading(std::string_view message) {
  constexpr std::size_t kLongestHeading = 90;  // bytes: thirty Chinese characters
  const auto end = message.find('\n');
  if (end == View::npos) return {};
  const View line = trimmed(message.substr(0, end));
  const View rest = trimmed(message.substr(end));
  if (line.empty() || rest.empty() || line.size() > kLongestHeading || language_of(line) != Language::kChinese)
    return {};
  const View next = trimmed(rest.substr(0, rest.find('\n')));
  if (next.ends_with("？") || next.ends_with('?') || ends_a_sentence(line) || speaks_of_its_speaker(line)) return {};
  if (is_entry(line) && is_entry(next)) return {};
  return read_said(line, {}).facts.empty() ? line : View();
}

namespace {

constexpr std::size_t kShortestSentence = 6, kLongestSentence = 600;  // bytes of a sentence
constexpr std::size_t kMostSentences = 24, kMostFacts = 12;  // of a message
constexpr double kCovered = 0.7;  // of a sentence's words, by what the grammar has read of it

bool is_of(const SaidFact& fact, std::string_view sentence) {
  return !fact.text.empty() && !fact.attribute.starts_with("wish:") &&
         sentence.find(fact.quote) != std::string_view::npos;
}

// 我现在又爱跑步了 says no more than that running is liked: without adverbs, 我, 了 and the verb of liking, for which
// facts have another one.
std::string without_little_chinese(std::string_view sentence) {
  std::string text;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::string_view rest = sentence.substr(at);
    std::size_t cut = longest_entry(adverbs_chinese(), rest).size();
    for (const std::string_view word : {"我", "了", "喜欢上", "喜欢", "爱上", "爱"})
      if (rest.starts_with(word)) cut = std::max(cut, word.size());
    if (cut == 0) text += sentence[at];
    at += std::max<std::size_t>(1, cut);
  }
  return text;
}

// How much of what a sentence says stands in facts that were read in it.
double share_told(std::string_view sentence, const std::vector<SaidFact>& found) {
  std::set<std::string> told;
  for (const SaidFact& fact : found) {
    if (!is_of(fact, sentence)) continue;
    for (std::string& word : index_words(fact.text)) told.insert(std::move(word));
  }
  if (told.empty()) return 0;
  // "I freaking love coffee" says no more than that coffee is loved.
  static const std::set<std::string> degrees = [] {
    std::set<std::string> stems;
    for (const std::string_view degree : lexicon("en/lasting", "degrees"))
      for (std::string& word : index_words(degree)) stems.insert(std::move(word));
    return stems;
  }();
  auto words = index_words(language_of(sentence) == Language::kChinese ? without_little_chinese(sentence)
                                                                       : std::string(sentence));
  std::erase_if(words, [&](const std::string& word) { return degrees.contains(word); });
  const auto there = std::count_if(words.begin(), words.end(), [&](const auto& word) { return told.contains(word); });
  return static_cast<double>(there) / static_cast<double>(std::max<std::size_t>(1, words.size()));
}

// What tells nothing of its speaker, whatever it means: a Chinese request, and what others say.
bool tells_nothing_of_speaker(std::string_view part) {
  return language_of(part) == Language::kChinese && (is_request(part) || is_said_by_others(part));
}

// Nothing where it has no vector.
std::optional<bool> is_likely(const FactSentence& sentence, const std::string& subject, const FactWeights& weights,
                              const SentenceVector& vector_of) {
  std::optional<bool> likely;
  for (const std::string_view part : judged_parts(sentence.text)) {
    if (tells_nothing_of_speaker(part)) {
      likely = likely.value_or(false);
      continue;
    }
    const std::vector<float> vector = vector_of(part);
    if (vector.empty()) continue;
    const Language language = language_of(part);
    const double limit = weights.languages[static_cast<std::size_t>(language)].limit;
    const FactSigns signs = fact_signs({part, sentence.heading, sentence.said_at_once}, subject);
    likely = likely.value_or(false) || fact_logit(weights, language, signs, vector) >= limit;
  }
  return likely;
}

}  // namespace

double fact_logit(const FactWeights& weights, Language language, const FactSigns& signs,
                  std::span<const float> centred) {
  const FactWeights::OfLanguage& own = weights.languages[static_cast<std::size_t>(language)];
  double sum = own.bias;
  for (std::size_t i = 0; i < kFactSigns; ++i) sum += own.signs[i] * signs[i];
  const std::size_t size = std::min(centred.size(), weights.vector.size());
  for (std::size_t i = 0; i < size; ++i)
    sum += static_cast<double>(weights.vector[i]) * static_cast<double>(centred[i]);
  return sum;
}

std::vector<FactSentence> fact_sentences(std::string_view message) {
  const std::string_view heading = note_heading(message);
  std::vector<FactSentence> chosen;
  for (const std::string_view sentence : stating_sentences(message)) {
    if (chosen.size() == kMostSentences) break;
    if (!heading.empty() && sentence.data() == heading.data()) continue;
    if (sentence.size() >= kShortestSentence && sentence.size() <= kLongestSentence && !says_nothing(sentence))
      chosen.push_back({sentence, heading, message.size()});
  }
  return chosen;
}

std::vector<std::string_view> judged_parts(std::string_view sentence) {
  std::vector<std::string_view> parts{sentence};
  if (language_of(sentence) != Language::kChinese) return parts;
  const std::string_view told = told_part(sentence);
  if (told.size() >= kShortestSentence && told.size() < sentence.size() && !says_need(told)) parts.push_back(told);
  return parts;
}

bool may_tell_of_people(std::string_view message) {
  const auto chosen = fact_sentences(message);
  return std::any_of(chosen.begin(), chosen.end(), [](const FactSentence& one) {
    return speaks_of_people(one.text) || speaks_of_people(one.heading);
  });
}

std::string told_sentence(const FactSentence& sentence, const std::string& subject) {
  const bool chinese = language_of(sentence.text) == Language::kChinese;
  const std::string who(!subject.empty() ? std::string_view(subject) : name_of_speaker(sentence.text));
  if (!sentence.heading.empty()) {
    const std::string note = in_third_person(sentence.heading, subject);
    const std::string_view title = trim_marks(note);
    return who + "记下：" + std::string(title) + "：" + in_third_person(sentence.text, subject);
  }
  const std::string_view told = told_part(sentence.text);
  if (told.empty()) return who + (chinese ? "问：" : " asked: ") + in_third_person(sentence.text, subject);
  std::string text = in_third_person(told, subject);
  const bool named =
      text.find(who) != std::string::npos || (subject.empty() && text.find("the user") != std::string::npos);
  return named ? text : who + (chinese ? "说：" : " said: ") + text;
}

std::vector<SaidFact> judge_facts(std::string_view message, const std::string& subject, const FactWeights& weights,
                                  const SentenceVector& vector_of, std::vector<SaidFact>& found) {
  std::vector<SaidFact> facts;
  for (const FactSentence& sentence : fact_sentences(message)) {
    const auto likely = is_likely(sentence, subject, weights, vector_of);
    if (!likely) continue;
    if (*likely && (share_told(sentence.text, found) >= kCovered || facts.size() == kMostFacts)) continue;
    for (SaidFact& fact : found)
      if (is_of(fact, sentence.text) && fact.attribute == kSaidAttribute) fact.text.clear();
    std::string told = *likely ? told_sentence(sentence, subject) : std::string();
    if (*likely && is_told_whole(told)) facts.push_back(told_fact(std::move(told), sentence.text));
  }
  return facts;
}

namespace {

FactWeights::OfLanguage read_language(const WeightFile& file, const std::string& name) {
  FactWeights::OfLanguage one;
  one.bias = file.number(name + ".bias");
  one.limit = file.number(name + ".limit");
  const std::vector<double> signs = file.numbers(name + ".signs", one.signs.size());
  std::copy(signs.begin(), signs.end(), one.signs.begin());
  return one;
}

}  // namespace

FactWeights read_fact_weights(const WeightFile& file) {
  return {file.text("embedder"),
          {read_language(file, "english"), read_language(file, "chinese")},
          file.scaled("vector", "step")};
}

const FactWeights* fact_weights(std::string_view embedder) {
  static const FactWeights kFitted = read_fact_weights(shipped_weights("facts"));
  return embedder.find(kFitted.embedder) == std::string_view::npos ? nullptr : &kFitted;
}

}  // namespace weft
