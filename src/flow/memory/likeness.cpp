#include "flow/memory/likeness.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/strings.h"
#include "text/words.h"

namespace weft {
namespace {

bool is_identifier(std::string_view word) {
  return std::any_of(word.begin(), word.end(), is_digit<char>) &&
         std::any_of(word.begin(), word.end(), is_letter<char>);
}

// An identifier such as "a1b2c3" is one word here, not the many that it is made of: a name that two texts share does
// not put them on one matter.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  for (std::string& word : index_words(text)) words.insert(std::move(word));
  const std::set<std::string> all = words;
  for (const std::string& whole : all)
    if (is_identifier(whole))
      std::erase_if(words,
                    [&](const std::string& one) { return one != whole && whole.find(one) != std::string::npos; });
  return words;
}

// The cosine of the two sets. Texts on one matter share about a third of their words, which is put where vectors have
// it on their scale.
double shared(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.empty() || b.empty()) return 0;
  std::size_t both = 0;
  for (const std::string& word : a) both += b.count(word);
  const double cosine = static_cast<double>(both) / std::sqrt(static_cast<double>(a.size() * b.size()));
  constexpr double kOneMatter = 1.0 / 3, kThere = 0.6;
  return cosine < kOneMatter ? cosine / kOneMatter * kThere
                             : kThere + (cosine - kOneMatter) / (1 - kOneMatter) * (1 - kThere);
}

}  // namespace

std::vector<double> WordLikeness::to_all(std::string_view text, std::span<const std::string> others) const {
  const auto words = words_of(text);
  std::vector<double> likeness;
  likeness.reserve(others.size());
  for (const std::string& other : others) likeness.push_back(shared(words, words_of(other)));
  return likeness;
}

std::vector<double> VectorLikeness::to_all(std::string_view text, std::span<const std::string> others) const {
  const Deadline deadline = Deadline::after(limit_);
  const auto vector = embedder_.embed(text, EmbedUse::kCompare, deadline);
  if (!vector.ok()) return WordLikeness().to_all(text, others);
  const Language language = language_of(text);
  std::vector<double> likeness;
  likeness.reserve(others.size());
  for (const std::string& other : others) {
    const auto theirs = embedder_.embed(other, EmbedUse::kCompare, deadline);
    // One scale for all of them: half by words and half by vectors could not be compared.
    if (!theirs.ok() && theirs.error().code != ErrorCode::kInvalidArgument) return WordLikeness().to_all(text, others);
    likeness.push_back(theirs.ok() ? similarity_->between(*vector, language, *theirs, language_of(other)) : 0.0);
  }
  return likeness;
}

TextVectors VectorLikeness::vectors(std::span<const std::string> texts) const {
  const Deadline deadline = Deadline::after(limit_);
  TextVectors made{embedder_.name(), similarity_, {}};
  made.vectors.reserve(texts.size());
  // What is in the embedder's cache comes also when the time is over.
  for (const std::string& text : texts)
    made.vectors.push_back(embedder_.embed(text, EmbedUse::kCompare, deadline).value_or({}));
  return made;
}

}  // namespace weft
