#include "text/given_names.h"

#include <unordered_map>

#include "text/lexicon.h"

namespace weft {
namespace {

using Names = std::unordered_map<std::string_view, NameGender>;

void add(Names& names, std::string_view list, NameGender gender) {
  for (const std::string_view name : lexicon("en/given_names", list)) {
    const auto [at, added] = names.emplace(name, gender);
    if (!added && at->second != gender) at->second = NameGender::kUnknown;
  }
}

}  // namespace

bool is_first_name(std::string_view lower, NameGender& gender) {
  static const Names names = [] {
    Names made;
    add(made, "men", NameGender::kMale);
    add(made, "women", NameGender::kFemale);
    for (const std::string_view both : lexicon("en/given_names", "of either")) made[both] = NameGender::kUnknown;
    return made;
  }();
  const auto found = names.find(lower);
  gender = found == names.end() ? NameGender::kUnknown : found->second;
  return found != names.end();
}

bool is_chinese_surname(std::string_view character) {
  static const LexiconWords surnames = lexicon_words("zh/given_names", "surnames");
  return surnames.contains(character);
}

NameGender chinese_name_gender(std::string_view given) {
  static const LexiconWords women = lexicon_words("zh/given_names", "characters of women");
  static const LexiconWords men = lexicon_words("zh/given_names", "characters of men");
  NameGender gender = NameGender::kUnknown;
  constexpr std::size_t kHan = 3;
  for (std::size_t at = 0; at + kHan <= given.size(); at += kHan) {
    if (women.contains(given.substr(at, kHan))) return NameGender::kFemale;
    if (men.contains(given.substr(at, kHan))) gender = NameGender::kMale;
  }
  return gender;
}

}  // namespace weft
