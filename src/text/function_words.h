#pragma once

#include <string_view>

namespace weft {

/// Whether a folded word of the index (English) or a single Chinese character or pair says nothing about the subject:
/// articles, prepositions, pronouns, auxiliaries, particles. Safe from any thread.
bool is_function_word(std::string_view word);

}  // namespace weft
