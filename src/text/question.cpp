#include "text/question.h"

#include <algorithm>

#include "text/utf8.h"

namespace weft {
namespace {

// With more words than this (some two sentences) a question carries facts.
constexpr std::size_t kMostWords = 25;
constexpr std::size_t kMostBytes = 400;

// The text without blanks and without a last part in square brackets, which stands for an attached picture or file.
std::string_view without_attachment(std::string_view text) {
  const auto trim = [&text] {
    while (!text.empty() && std::string_view(" \t\r\n\"'").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
  };
  trim();
  if (text.ends_with(']')) {
    if (const auto begin = text.rfind('['); begin != std::string_view::npos) text = text.substr(0, begin);
  }
  trim();
  return text;
}

}  // namespace

bool is_bare_question(std::string_view text) {
  const std::string_view said = without_attachment(text);
  if (said.size() > kMostBytes || !(said.ends_with('?') || said.ends_with("\uff1f"))) return false;
  const auto words = index_words(said);
  // Chinese gives each character and each pair, about two terms for a character and three for a word.
  const bool chinese = language_of(said) == Language::kChinese;
  return words.size() <= (chinese ? kMostWords * 3 : kMostWords);
}

Term question_mark_term() {
  static const Term term = term_of("?");
  return term;
}

}  // namespace weft
