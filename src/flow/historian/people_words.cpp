#include "flow/historian/people_words.h"

#include <algorithm>

#include "text/english_verbs.h"

namespace weft {
namespace {

constexpr std::size_t kHanSize = 3;  // bytes of a common Chinese character

std::vector<PersonWord> by_gender(std::string_view file, std::string_view women, std::string_view men,
                                  std::string_view either) {
  std::vector<PersonWord> words;
  for (const auto& [list, gender] :
       {std::pair{women, Gender::kFemale}, {men, Gender::kMale}, {either, Gender::kUnknown}})
    for (const std::string_view word : lexicon(file, list)) words.push_back({word, gender});
  return words;
}

}  // namespace

const std::unordered_map<std::string_view, Gender>& relatives() {
  static const auto words = [] {
    std::unordered_map<std::string_view, Gender> all;
    for (const PersonWord& one : by_gender("en/people", "women", "men", "of either")) all.emplace(one.word, one.gender);
    return all;
  }();
  return words;
}

bool is_role(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/people", "roles");
  return words.contains(word);
}

bool is_called_by_kinship(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/people", "called by kinship");
  return words.contains(word);
}

bool is_animal(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/people", "animals");
  return words.contains(word);
}

bool is_plural_animal(std::string_view word) {
  static const LexiconWords irregular = lexicon_words("en/people", "plurals of animals");
  if (irregular.contains(word)) return true;
  if (word.size() < 4 || word.back() != 's') return false;
  if (is_animal(word.substr(0, word.size() - 1))) return true;
  const bool ies = word.size() > 4 && word.substr(word.size() - 3) == "ies";
  return ies && is_animal(std::string(word.substr(0, word.size() - 3)) + "y");
}

bool is_verb_of_people(std::string_view word) {
  static const LexiconWords forms = lexicon_words("en/people", "verbs of people");
  if (forms.contains(word)) return true;
  return word.size() > 3 && word.back() == 's' && forms.contains(word.substr(0, word.size() - 1));
}

bool is_anybody(std::string_view word) {
  static const LexiconWords words = lexicon_words("en/people", "anybody");
  return words.contains(word);
}

bool is_plural_person(std::string_view word) {
  static const LexiconWords kPeople = lexicon_words("en/people", "plurals");
  if (kPeople.contains(word)) return true;
  if (word.size() < 4 || word.back() != 's') return false;
  const std::string_view one = word.substr(0, word.size() - 1);
  return relatives().contains(one) || is_role(one);
}

const LexiconWords& names_that_are_words() {
  static const LexiconWords words = lexicon_words("en/people", "names that are words");
  return words;
}

const LexiconWords& no_names() {
  static const LexiconWords words = lexicon_words("en/people", "no names");
  return words;
}

const LexiconWords& person_titles() {
  static const LexiconWords words = lexicon_words("en/people", "titles");
  return words;
}

const LexiconWords& before_names() {
  static const LexiconWords words = lexicon_words("en/people", "before a name");
  return words;
}

const LexiconWords& behind_names() {
  static const LexiconWords words = lexicon_words("en/people", "behind a name");
  return words;
}

Gender gender_of_title(std::string_view title) {
  if (title == "mr" || title == "sir" || title == "uncle") return Gender::kMale;
  if (title == "mrs" || title == "ms" || title == "miss" || title == "aunt" || title == "lady") return Gender::kFemale;
  return Gender::kUnknown;
}

ChinesePersonWords::ChinesePersonWords(const std::vector<PersonWord>& words) {
  for (const PersonWord& one : words) {
    words_.emplace(one.word, one);
    longest_ = std::max(longest_, one.word.size());
  }
}

const PersonWord* ChinesePersonWords::at(std::string_view text, std::size_t at) const {
  if (at >= text.size()) return nullptr;
  for (std::size_t size = std::min(longest_, text.size() - at) / kHanSize * kHanSize; size > 0; size -= kHanSize)
    if (const auto found = words_.find(text.substr(at, size)); found != words_.end()) return &found->second;
  return nullptr;
}

const PersonWord* ChinesePersonWords::ending(std::string_view text) const {
  for (std::size_t size = std::min(longest_, text.size()) / kHanSize * kHanSize; size > 0; size -= kHanSize)
    if (const auto found = words_.find(text.substr(text.size() - size)); found != words_.end()) return &found->second;
  return nullptr;
}

const ChinesePersonWords& chinese_titles() {
  static const ChinesePersonWords words(by_gender("zh/people", "titles of women", "titles of men", "titles of either"));
  return words;
}

const ChinesePersonWords& chinese_relatives() {
  static const ChinesePersonWords words(by_gender("zh/people", "women", "men", "of either"));
  return words;
}

const ChinesePersonWords& chinese_somebody() {
  static const ChinesePersonWords words = [] {
    auto all = by_gender("zh/people", "somebody female", "somebody male", "somebody");
    const auto kin = by_gender("zh/people", "women", "men", "of either");
    all.insert(all.end(), kin.begin(), kin.end());
    return ChinesePersonWords(all);
  }();
  return words;
}

const NounWords& place_nouns() {
  static const NounWords words = lexicon_words("en/nouns", "place nouns");
  return words;
}

const NounWords& empty_heads() {
  static const NounWords words = lexicon_words("en/nouns", "empty heads");
  return words;
}

const NounWords& no_nouns() {
  static const NounWords words = lexicon_words("en/nouns", "no nouns");
  return words;
}

const NounWords& determiners() {
  static const NounWords words = lexicon_words("en/nouns", "determiners");
  return words;
}

const NounWords& collectives() {
  static const NounWords words = lexicon_words("en/nouns", "collectives");
  return words;
}

const NounWords& firms() {
  static const NounWords words = lexicon_words("en/nouns", "firms");
  return words;
}

const NounWords& before_asides() {
  static const NounWords words = lexicon_words("en/nouns", "before an aside");
  return words;
}

const NounWords& before_predicates() {
  static const NounWords words = lexicon_words("en/nouns", "before a predicate");
  return words;
}

const NounWords& before_places() {
  static const NounWords words = lexicon_words("en/nouns", "before a place");
  return words;
}

const NounWords& before_nouns() {
  static const NounWords words = lexicon_words("en/nouns", "before a noun");
  return words;
}

std::string_view without_possessive(std::string_view name) {
  for (const std::string_view end : {"'s", "’s"}) {
    if (name.size() > end.size() && name.substr(name.size() - end.size()) == end) name.remove_suffix(end.size());
  }
  return name;
}

bool is_plural_noun(std::string_view word) {
  static const NounWords kPlural = {"people", "children", "men", "women", "folks", "police", "mice", "feet", "teeth"};
  static const NounWords kSingular = {"bus", "news", "series", "canvas", "christmas", "campus",  "tennis",
                                      "yes", "gas",  "focus",  "chess",  "virus",     "physics", "lens"};
  if (kPlural.contains(word)) return true;
  if (kSingular.contains(word) || word.size() < 3) return false;
  if (word.size() > 4 && word.substr(word.size() - 3) == "ous") return false;  // "famous"
  return word.back() == 's' && word[word.size() - 2] != 's' && word[word.size() - 2] != '\'';
}

bool names_several_things(const LatinWords& words, std::size_t begin, std::size_t end) {
  return std::any_of(words.begin(), words.end(), [&](const auto& word) {
    return word.is_word && word.begin >= begin && word.end <= end && is_plural_noun(word.lower) &&
           !is_plural_person(word.lower) && !no_nouns().contains(word.lower) && !no_names().contains(word.lower) &&
           !is_verb_form(word.lower) && !is_mid_adverb(word.lower) && !is_plural_animal(word.lower) &&
           word.lower.find('\'') == std::string::npos;
  });
}

bool is_verb_form(std::string_view word) {
  if (is_base_verb(word)) return true;
  if (word.size() > 3 && word.back() == 's') {
    if (is_base_verb(word.substr(0, word.size() - 1))) return true;
    if (word.substr(word.size() - 2) == "es" && is_base_verb(word.substr(0, word.size() - 2))) return true;
  }
  return is_past_form(word);
}

}  // namespace weft
