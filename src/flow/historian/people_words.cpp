#include "flow/historian/people_words.h"

#include "text/lexicon.h"

namespace weft {

const std::unordered_map<std::string_view, Gender>& relatives() {
  static const auto words = [] {
    std::unordered_map<std::string_view, Gender> all;
    for (const auto& [list, gender] :
         {std::pair{"women", Gender::kFemale}, {"men", Gender::kMale}, {"of either", Gender::kUnknown}})
      for (const std::string_view word : lexicon("en/people", list)) all.emplace(word, gender);
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

}  // namespace weft
