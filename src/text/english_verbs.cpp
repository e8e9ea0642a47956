#include "text/english_verbs.h"

#include <algorithm>
#include <unordered_map>

#include "text/lexicon.h"

namespace weft {
namespace {

using Words = LexiconWords;

// Base, past and participle of the irregular verbs where they differ from the base form.
const Words& irregular_past() {
  static const LexiconWords words = lexicon_words("en/verbs", "irregular past");
  return words;
}

const Words& irregular_participles() {
  static const LexiconWords words = lexicon_words("en/verbs", "irregular participles");
  return words;
}

const Words& base_verbs() {
  static const LexiconWords words = lexicon_words("en/verbs", "base");
  return words;
}

const std::unordered_map<std::string_view, std::string_view>& irregular_third() {
  static const auto forms = lexicon_pairs("en/verbs", "third person");
  return forms;
}

bool is_vowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }

LexiconWords all_words() {
  LexiconWords words = lexicon_words("en/function_words", "words");
  words.merge(lexicon_words("zh/function_words", "words"));
  return words;
}

}  // namespace

std::string third_person(std::string_view base) {
  if (const auto found = irregular_third().find(base); found != irregular_third().end())
    return std::string(found->second);
  if (is_modal(base)) return std::string(base);
  const std::string word(base);
  if (word.size() > 1 && word.back() == 'y' && !is_vowel(word[word.size() - 2]))
    return word.substr(0, word.size() - 1) + "ies";
  for (const std::string_view end : {"s", "x", "z", "ch", "sh", "o"}) {
    if (word.ends_with(end)) return word + "es";
  }
  return word + "s";
}

bool is_base_verb(std::string_view word) { return base_verbs().contains(word); }

bool is_past_form(std::string_view word) {
  if (irregular_past().contains(word)) return true;
  // Base forms that end as regular past forms do.
  static const LexiconWords kBase = lexicon_words("en/verbs", "no past");
  return word.size() > 3 && word.ends_with("ed") && (word == "agreed" || !kBase.contains(word));
}

bool is_base_and_past(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "same in past");
  return words.contains(word);
}

bool is_participle(std::string_view word) { return irregular_participles().contains(word) || is_past_form(word); }

bool is_modal(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "modals");
  return words.contains(word);
}

bool is_auxiliary(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "auxiliaries");
  return words.contains(word) || is_modal(word);
}

bool is_mid_adverb(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/verbs", "middle adverbs");
  if (words.contains(word)) return true;
  static const LexiconWords kNot = lexicon_words("en/verbs", "no adverbs");
  return word.size() > 4 && word.ends_with("ly") && !kNot.contains(word);
}

bool is_function_word(std::string_view word) {
  static const LexiconWords set = all_words();
  // No function word is longer; most words of a text end here.
  constexpr std::size_t kLongest = 10;  // "themselves", "yourselves"
  return word.size() <= kLongest && set.contains(word);
}

}  // namespace weft
