#pragma once

#include <cstddef>

#include "text/latin_words.h"

namespace weft {

/// Where phrases of an English text stand, by the index of their first word and the one behind their last. Each costs
/// constant time.

/// Whether a phrase is not what its sentence is about: "in the loop".
bool is_aside(const LatinWords& words, std::size_t i);

/// Whether a phrase says what somebody is: "LeBron is the man", "they are like family". "There is a man" does not, nor
/// does "I like cats".
bool is_predicate(const LatinWords& words, std::size_t i);

/// Whether a phrase is what its sentence is about: begins it, or its verb follows.
bool is_subject(const LatinWords& words, std::size_t i, std::size_t end);

/// Whether what stands around a name is said of people: "met Anneke", "Anneke told".
bool is_among_people(const LatinWords& words, std::size_t i, std::size_t end);

/// Whether a role is called by it, not told of: "Mr. Chair, I would …".
bool is_addressed(const LatinWords& words, std::size_t i, std::size_t end);

/// Whether the words from `i` on say when: "next year".
bool begins_time(const LatinWords& words, std::size_t i);

}  // namespace weft
