// Whether two statements on one matter cannot both hold, or say the same.
#include <algorithm>
#include <set>

#include "flow/memory/memory_file.h"
#include "text/function_words.h"
#include "text/modality.h"
#include "text/numerals.h"

namespace weft {
namespace {

struct Content {
  std::set<std::string> words, numbers;
  bool negated = false;
};

// Twice negated is said: "do not avoid".
Content content_of(std::string_view text) {
  Content content;
  const auto words = fold_numerals(plain_words(text));
  constexpr Moods kDenies(Mood::kForbids, Mood::kNotTo, Mood::kNotToDo, Mood::kCanNot, Mood::kDoesNot, Mood::kNegates,
                          Mood::kHoldsOff, Mood::kNoNegation);
  std::size_t negations = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Modal found = modal_at(words, i, kDenies);
    if (found.words > 0) {
      if (!found.moods.has(Mood::kNoNegation)) ++negations;
      i += found.words - 1;
      continue;
    }
    if (words[i].kind == WordKind::kNumber) content.numbers.insert(words[i].text);
    const bool says = words[i].kind == WordKind::kWord || words[i].kind == WordKind::kHan;
    if (says && !is_function_word(words[i].text)) content.words.insert(words[i].text);
  }
  content.negated = negations % 2 == 1;
  return content;
}

double shared(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::size_t both = 0;
  for (const std::string& word : a) both += b.count(word);
  const std::size_t most = std::max(a.size(), b.size());
  return most == 0 ? 0 : static_cast<double>(both) / static_cast<double>(most);
}

}  // namespace

bool contradict(std::string_view a, std::string_view b) {
  const Content one = content_of(a), other = content_of(b);
  constexpr double kSameMatter = 0.7;
  if (one.negated != other.negated) return shared(one.words, other.words) >= kSameMatter;
  if (one.numbers.empty() || other.numbers.empty() || one.numbers == other.numbers) return false;
  constexpr double kSameWords = 0.8;
  return shared(one.words, other.words) >= kSameWords;
}

bool has_words_of(std::string_view a, std::string_view b) {
  const Content one = content_of(a), other = content_of(b);
  if (one.negated != other.negated || one.numbers != other.numbers) return false;
  const auto& [fewer, more] = std::minmax(
      one.words, other.words, [](const auto& left, const auto& right) { return left.size() < right.size(); });
  return std::includes(more.begin(), more.end(), fewer.begin(), fewer.end());
}

}  // namespace weft
