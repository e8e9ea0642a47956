#include "flow/memory/wish_matter.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "flow/memory/wish_words.h"
#include "text/function_words.h"
#include "text/han_fold.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/spaced_words.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

constexpr std::size_t kMatter = 2;  // characters: one alone is as often a part of a word for manner

// What is said of asking, answering and manner, whatever it is about.
std::vector<View> manner_of(const std::string& language) {
  std::vector<View> all;
  const auto take = [&](const char* file, View list) {
    const auto phrases = lexicon(language + "/" + file, list);
    all.insert(all.end(), phrases.begin(), phrases.end());
  };
  for (const char* list : {"asks", "speaks", "always", "manner"}) take("standing_wishes", list);
  for (const View aspect : answer_aspects()) take("answer_aspects", aspect);
  return all;
}

bool is_matter_english(View word) {
  static const std::set<View> manner = [] {
    std::set<View> words;
    for (const View phrase : manner_of("en"))
      for (const View one : split_list(phrase, ' ')) words.insert(one);
    return words;
  }();
  const bool spelled = std::any_of(word.begin(), word.end(), [](char c) { return is_letter(c); });
  return spelled && !word.ends_with("ly") && !is_function_word(word) && !manner.contains(word);
}

bool names_matter_english(View clause) {
  const std::string row = spaced_words(normalize(clause), ".,;:!?\"()");
  const auto words = split_list(row, ' ');
  return std::any_of(words.begin(), words.end(), is_matter_english);
}

// The longest phrase of manner that a text begins with, in bytes.
std::size_t manner_at(View text) {
  static const std::vector<View> phrases = [] {
    std::vector<View> all = manner_of("zh");
    std::sort(all.begin(), all.end(), [](View a, View b) { return a.size() > b.size(); });
    return all;
  }();
  for (const View phrase : phrases)
    if (text.starts_with(phrase)) return phrase.size();
  return 0;
}

bool names_matter_chinese(View clause) {
  const std::string text = fold_han(clause);
  std::size_t left = 0;
  for (std::size_t at = 0; at < text.size();) {
    const View rest = View(text).substr(at);
    if (const std::size_t manner = manner_at(rest); manner > 0) {
      at += manner;
      continue;
    }
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool letter = is_cjk(c) || is_letter(c);
    left += letter && !is_function_word(View(text).substr(begin, at - begin));
  }
  return left >= kMatter;
}

}  // namespace

bool names_matter(std::string_view clause) {
  return language_of(clause) == Language::kChinese ? names_matter_chinese(clause) : names_matter_english(clause);
}

}  // namespace weft
