#pragma once

#include <cstddef>

#include "text/latin_words.h"
#include "text/references.h"

namespace weft {

/// Who can be meant by "they" in an English text, by what is said of them.
enum class SaidOf {
  kAnything,  ///< nothing tells
  kFirms,     ///< people, or whoever acts through people: "they charge", "I called them"
  kPeople,    ///< only people: "they said", "their kids", "they are shy"
};

/// What stands around a pronoun of several. Constant time.
SaidOf said_of(const LatinWords& words, const Reference& reference);

/// Whether an English text tells of one of whom nothing is known between two places: "somebody". Linear.
bool speaks_of_anybody(const LatinWords& words, std::size_t begin, std::size_t end);

}  // namespace weft
