#include "text/function_words.h"

#include "text/lexicon.h"

namespace weft {
namespace {

LexiconWords all_words() {
  LexiconWords words = lexicon_words("en/function_words", "words");
  words.merge(lexicon_words("zh/function_words", "words"));
  return words;
}

}  // namespace

bool is_function_word(std::string_view word) {
  static const LexiconWords set = all_words();
  // No function word is longer; most words of a text end here.
  constexpr std::size_t kLongest = 10;  // "themselves", "yourselves"
  return word.size() <= kLongest && set.contains(word);
}

}  // namespace weft
