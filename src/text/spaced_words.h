#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft {

/// A normalised text (see `normalize`) as a row of words: one blank between them and one at each end, " keep it short
/// ". Bytes of `gaps` and white space part words, other marks belong to them; a curly apostrophe becomes a straight
/// one. Of a text without words one blank is left.
std::string spaced_words(std::string_view normal, std::string_view gaps);

/// Phrases that are looked for in such rows as whole words. However many they are, a word of the row is looked up once.
/// Views are kept: what they stand in, as a lexicon does, must live as long. Safe from any thread.
class SpacedPhrases {
 public:
  explicit SpacedPhrases(std::span<const std::string_view> phrases);

  /// Whether one stands anywhere in the row.
  bool any_in(std::string_view row) const;
  /// The longest that the row begins with; empty where none does.
  std::string_view begin_of(std::string_view row) const;

 private:
  std::string_view longest_at(std::string_view row, std::size_t at) const;

  std::unordered_map<std::string_view, std::vector<std::string_view>> phrases_;  ///< by first word, the longest first
};

/// Whether one of them stands in the text, at the border of a word or not: for languages that set no blanks.
bool holds_any(std::string_view text, std::span<const std::string_view> phrases);

}  // namespace weft
