#include "flow/memory/fact_meaning.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/strings.h"
#include "flow/memory/chinese_requests.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/said_parts.h"
#include "flow/memory/speech.h"
#include "flow/memory/statement_readers.h"
#include "flow/memory/whole_statement.h"
#include "text/cues.h"
#include "text/lexicon.h"
#include "text/longest_entry.h"
#include "text/small_talk.h"
#include "text/words.h"

namespace weft {
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

constexpr std::size_t kShortest = 6, kLongest = 600;  // bytes of a sentence
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
    if (sentence.size() >= kShortest && sentence.size() <= kLongest && !says_nothing(sentence))
      chosen.push_back({sentence, heading, message.size()});
  }
  return chosen;
}

std::vector<std::string_view> judged_parts(std::string_view sentence) {
  std::vector<std::string_view> parts{sentence};
  if (language_of(sentence) != Language::kChinese) return parts;
  const std::string_view told = told_part(sentence);
  if (told.size() >= kShortest && told.size() < sentence.size() && !says_need(told)) parts.push_back(told);
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
