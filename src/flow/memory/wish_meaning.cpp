#include "flow/memory/wish_meaning.h"

#include <algorithm>

#include "flow/memory/speech.h"
#include "flow/memory/standing_wish.h"
#include "flow/memory/whole_statement.h"

namespace weft {
namespace {

constexpr double kSure = 0.8;  // log-odds: hardly anything else gets above it
constexpr std::size_t kMostSentences = 8;
constexpr std::size_t kShortest = 8, kLongest = 300;  // bytes
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
    if (chosen.size() == kMostSentences) break;
    if (sentence.size() >= kShortest && sentence.size() <= kLongest && may_hold_on(sentence))
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

}  // namespace weft
