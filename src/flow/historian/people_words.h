#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/references.h"

namespace weft {

/// English words for people by whom they are to somebody, "sister", "boss", with their gender where the word says it.
const std::unordered_map<std::string_view, Gender>& relatives();

/// People by what they do or are: "author", "mechanic". Nothing of their gender.
bool is_role(std::string_view word);

/// Several people: "parents", "mechanics", "children".
bool is_plural_person(std::string_view word);

/// A word for a person, and what it says of them.
struct PersonWord {
  std::string_view word;
  Gender gender = Gender::kUnknown;
};

/// What may stand behind a Chinese surname: 老师, 女士.
const std::vector<PersonWord>& chinese_titles();

/// By whom somebody is to the one who speaks: 妈妈, 同事.
const std::vector<PersonWord>& chinese_relatives();

}  // namespace weft
