#include "flow/historian/people_words.h"

#include "text/lexicon.h"

namespace weft {
namespace {

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

bool is_plural_person(std::string_view word) {
  static const LexiconWords kPeople = lexicon_words("en/people", "plurals");
  if (kPeople.contains(word)) return true;
  if (word.size() < 4 || word.back() != 's') return false;
  const std::string_view one = word.substr(0, word.size() - 1);
  return relatives().contains(one) || is_role(one);
}

const std::vector<PersonWord>& chinese_titles() {
  static const auto words = by_gender("zh/people", "titles of women", "titles of men", "titles of either");
  return words;
}

const std::vector<PersonWord>& chinese_relatives() {
  static const auto words = by_gender("zh/people", "women", "men", "of either");
  return words;
}

}  // namespace weft
