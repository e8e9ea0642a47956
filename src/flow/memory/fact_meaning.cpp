#include "flow/memory/fact_meaning.h"

#include <algorithm>
#include <optional>
#include <set>

#include "flow/memory/chinese_requests.h"
#include "flow/memory/note_heading.h"
#include "flow/memory/said_parts.h"
#include "flow/memory/speech.h"
#include "flow/memory/statement_readers.h"
#include "text/cues.h"
#include "text/says_nothing.h"

namespace weft {
namespace {

constexpr std::size_t kShortest = 6, kLongest = 600;  // bytes of a sentence
constexpr std::size_t kMostSentences = 24, kMostFacts = 12;  // of a message
constexpr double kCovered = 0.7;  // of a sentence's words, by what the grammar has read of it

bool is_of(const SaidFact& fact, std::string_view sentence) {
  return !fact.text.empty() && !fact.attribute.starts_with("wish:") &&
         sentence.find(fact.quote) != std::string_view::npos;
}

// How much of what a sentence says stands in facts that were read in it.
double share_told(std::string_view sentence, const std::vector<SaidFact>& found) {
  std::set<std::string> told;
  for (const SaidFact& fact : found) {
    if (!is_of(fact, sentence)) continue;
    for (std::string& word : index_words(fact.text)) told.insert(std::move(word));
  }
  if (told.empty()) return 0;
  const auto words = index_words(sentence);
  const auto there = std::count_if(words.begin(), words.end(), [&](const auto& word) { return told.contains(word); });
  return static_cast<double>(there) / static_cast<double>(std::max<std::size_t>(1, words.size()));
}

// Nothing where it has no vector.
std::optional<bool> is_likely(const FactSentence& sentence, const std::string& subject, const FactWeights& weights,
                              const SentenceVector& vector_of) {
  const auto parts = judged_parts(sentence);
  if (parts.empty()) return false;
  std::optional<bool> likely;
  for (const std::string_view part : parts) {
    const std::vector<float> vector = vector_of(part);
    if (vector.empty()) continue;
    const Language language = language_of(part);
    const double limit = weights.languages[static_cast<std::size_t>(language)].limit;
    const FactSigns signs = fact_signs({part, sentence.heading, sentence.said_at_once, sentence.speech}, subject);
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
  const auto stating = stating_sentences(message);
  const double speech = heading.empty() && !stating.empty() ? likeness_to_speech(message) : 0;
  std::vector<FactSentence> chosen;
  for (const std::string_view sentence : stating) {
    if (chosen.size() == kMostSentences) break;
    if (!heading.empty() && sentence.data() == heading.data()) continue;
    if (sentence.size() >= kShortest && sentence.size() <= kLongest && !says_nothing(sentence))
      chosen.push_back({sentence, heading, message.size(), speech});
  }
  return chosen;
}

std::vector<std::string_view> judged_parts(const FactSentence& sentence) {
  std::vector<std::string_view> parts{sentence.text};
  if (language_of(sentence.text) != Language::kChinese) return parts;
  if (is_request(sentence.text) || is_said_by_others(sentence.text)) return {};
  if (sentence.speech >= 1 && !tells_who_speaks(sentence.text)) return {};
  const std::string_view told = told_part(sentence.text);
  const bool apart = told.size() >= kShortest && told.size() < sentence.text.size();
  if (apart && !says_need(told) && !is_request(told)) parts.push_back(told);
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
  const std::string who = !subject.empty() ? subject : chinese ? "用户" : "The user";
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
    if (*likely) facts.push_back(told_fact(told_sentence(sentence, subject), sentence.text));
  }
  return facts;
}

}  // namespace weft
