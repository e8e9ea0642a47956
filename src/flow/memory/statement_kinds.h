#pragma once

#include <string>
#include <string_view>

namespace weft {

/// What the small grammar of profiles knows of words beside its verbs. All words are folded; safe from any thread.

/// What a bare word after "is" tells of a person: "vegan" → "diet", "married" → "relationship", "retired" → "job";
/// empty where it is none that is kept.
std::string_view kind_of_person(std::string_view word);

/// Whether a value names an occupation: "a nurse", 护士.
bool is_occupation_english(std::string_view value);
bool is_occupation_chinese(std::string_view value);

/// What a thing somebody has is called wherever it is compared: "new mobile number" and "phone number" are "phone".
std::string thing_key_english(std::string_view noun);
std::string thing_key_chinese(std::string_view noun);

/// Whether a thing is one that has a value at a time, whatever the value is: a number, a code, a size, a plan.
bool has_value_english(std::string_view noun);
bool has_value_chinese(std::string_view noun);

/// Whether a noun is a person that somebody has (老板, 老师), and whether a value can be a person's name.
bool is_person_chinese(std::string_view noun);
bool is_name_chinese(std::string_view value);

/// Whether a thing that people have may be kept as such: pets and the family.
bool is_kept_thing_english(std::string_view noun);
bool is_kept_thing_chinese(std::string_view noun);

/// Whether a word is a number in words or digits: "two", "3", 两.
bool is_count(std::string_view word);

}  // namespace weft
