#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft {

enum class WordKind { kWord, kHan, kNumber, kSign, kEmoji, kComma, kStop, kQuestion };

/// A word as it was said: normalized, not stemmed.
struct PlainWord {
  std::string text;
  WordKind kind = WordKind::kWord;
};

/// Every word, number, meaningful sign and break of a text, in order, in the form of `normalize`. For comparing what is
/// said, where `index_words` serves finding: nothing is left out or stemmed.
///
/// - Chinese gives one word a character; letters and digits part ("iphone15" is "iphone", "15").
/// - A number keeps its sign, decimals, and inner ":", "/" and "-"; commas of thousands and "st", "nd", "rd", "th" go.
/// - Contractions are written out ("don't", "dont": "do", "not"); after nouns "'s" stays a word of its own.
/// - Enumeration commas and "&" are "and"; other commas, colons, semicolons and dashes are kComma, line breaks kStop.
/// - Quotation marks, brackets and other ornaments are left out.
///
/// Linear; safe from any thread; invalid UTF-8 reads as U+FFFD.
std::vector<PlainWord> plain_words(std::string_view text);

/// Phrases that are looked up at a place of a text, with a number for each. Read-only after building, then safe from
/// any thread.
class PhraseTable {
 public:
  /// Adds phrases parted by '|', each of at most 12 words after `plain_words`.
  void add(std::string_view phrases, int value);

  /// Adds a list of lexicon/{en,zh}/FILE.txt: add_list("changes", "change", 1); of one language: "en/changes".
  void add_list(std::string_view file, std::string_view list, int value);

  /// Calls `found(words, value)` for every phrase that begins at `at`, the longest first.
  template <class Found>
  void for_each(const std::vector<PlainWord>& words, std::size_t at, Found found) const {
    const auto entry = phrases_.find(words[at].text);
    if (entry == phrases_.end()) return;
    for (const Phrase& phrase : entry->second) {
      if (matches(phrase, words, at)) found(phrase.words.size(), phrase.value);
    }
  }

  /// The longest phrase that begins at `at`; 0 words where there is none.
  struct Match {
    std::size_t words = 0;
    int value = 0;
  };
  Match longest(const std::vector<PlainWord>& words, std::size_t at) const;

  /// Whether a phrase stands anywhere in the words.
  bool any_in(const std::vector<PlainWord>& words) const;

 private:
  struct Phrase {
    std::vector<std::string> words;
    int value;
  };
  static bool matches(const Phrase& phrase, const std::vector<PlainWord>& words, std::size_t at);

  std::unordered_map<std::string, std::vector<Phrase>> phrases_;  ///< by the first word, the longest first
};

/// The table of one list of lexicon/{en,zh}/FILE.txt; each phrase has the value 1.
PhraseTable phrase_table(std::string_view file, std::string_view list);

/// The parts of a list that is written as one string, without blanks around them and without empty ones.
std::vector<std::string_view> split_list(std::string_view list, char separator);

}  // namespace weft
