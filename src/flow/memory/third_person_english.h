#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// What is said in the first person, as it is told of who said it; and the words that this is made of. For the readers
/// of what English speakers say of themselves.

/// In lower case, with straight apostrophes.
std::string lower_words(std::string_view text);

/// What stands between white space.
std::vector<std::string_view> words_in(std::string_view text);

/// Whether a word may stand between a subject and its verb: "already", "no longer".
bool is_between(std::string_view word);

/// Adds a word behind a blank.
void append_word(std::string& text, std::string_view word);

/// With one full stop at its end, or the question mark that stands there.
std::string with_stop(std::string text);

/// "I'm" → "The user is", "my" → "The user's", and the verb behind "I" in its other form. The clause proper begins at
/// `at`, with who speaks.
std::string words_in_third_person(const std::vector<std::string_view>& words, std::size_t at,
                                  const std::string& subject);

}  // namespace weft
