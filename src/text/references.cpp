#include "text/references.h"

#include <algorithm>

namespace weft {

std::vector<Reference> find_references(std::string_view text, const std::vector<Span>& protected_by) {
  auto references = find_english_references(read_latin_words(text, protected_by));
  const auto chinese = find_chinese_references(text, protected_by);
  references.insert(references.end(), chinese.begin(), chinese.end());
  std::sort(references.begin(), references.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return references;
}

bool is_pronoun(std::string_view word) {
  const auto found = find_references(word, {});
  return found.size() == 1 && found[0].begin == 0 && found[0].end == word.size();
}

}  // namespace weft
