#pragma once

#include <cstddef>
#include <string_view>

#include "flow/historian/english_names.h"
#include "text/latin_words.h"

namespace weft {

/// How far phrases of an English text go. Each costs constant time.

/// A word for one person: by whom they are to somebody or by what they do.
bool is_person_noun(std::string_view word);

/// Behind the last word of the phrase whose determiner stands at `i`; `i` + 1 where it begins none. It is over before
/// its verb, before when it was, before a name and before what somebody is doing there.
std::size_t end_of_phrase(const LatinWords& words, const EnglishNames& written, std::size_t i);

/// Where the name of a firm ends that may go on at `end`: "the Department | of Justice".
std::size_t end_of_name(const LatinWords& words, const EnglishNames& written, std::size_t end);

/// Whether a phrase begins a title in quotation marks: "The Silent Patient".
bool opens_title(const LatinWords& words, std::string_view text, std::size_t i);

/// Whether a word without a determiner is several things or animals of a kind: "brownies", "old guitars".
bool is_bare_plural(const LatinWords& words, const EnglishNames& written, std::size_t i);

/// Behind the square brackets that open at `i`: what stands in them describes a picture or an attachment, not what is
/// talked about.
std::size_t skip_brackets(const LatinWords& words, std::size_t i);

}  // namespace weft
