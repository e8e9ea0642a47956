#pragma once

#include "text/lexicon.h"

namespace weft {

using NounWords = LexiconWords;

/// English nouns of places that one is in or goes to: "gym", "office".
const NounWords& place_nouns();

/// Nouns that no "it" goes back to: "lot", "way", "moment".
const NounWords& empty_heads();

/// Words that end a noun phrase or stand in none: verbs, prepositions, pronouns, conjunctions, adverbs.
const NounWords& no_nouns();

/// Words that begin a noun phrase: articles, "my", "these", small numbers.
const NounWords& determiners();

/// Whether a noun in lower case is a plural by its form.
bool is_plural_noun(std::string_view word);

/// Whether a word in lower case may be a form of a verb: "go", "goes", "went".
bool is_verb_form(std::string_view word);

}  // namespace weft
