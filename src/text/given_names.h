#pragma once

#include <string_view>

namespace weft {

/// What a name says about who bears it.
enum class NameGender { kUnknown, kMale, kFemale };

/// Whether a word in lower case is a usual first name of English, and whose. Names of both give kUnknown.
bool is_first_name(std::string_view lower, NameGender& gender);

/// Whether a character is a frequent Chinese surname that is no other common word by itself (于, 和 and 从 are none).
bool is_chinese_surname(std::string_view character);

/// What the characters of a Chinese given name say: 芳 and 婷 are women's, 强 and 军 men's.
NameGender chinese_name_gender(std::string_view given);

}  // namespace weft
