#pragma once

#include "text/latin_words.h"
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

/// Nouns of several people: they as well as it, "family".
const NounWords& collectives();

/// Nouns of who acts through people: they where something is said that people do, "bank".
const NounWords& firms();

/// Words behind which a phrase is not what its sentence is about: "in", "like".
const NounWords& before_asides();

/// Words behind which a phrase says what somebody is: "is", "as".
const NounWords& before_predicates();

/// Words behind which a place stands: "visit", "into".
const NounWords& before_places();

/// Words behind which a noun stands rather than a verb: "of", "with".
const NounWords& before_nouns();

/// A word without "'s" at its end.
std::string_view without_possessive(std::string_view name);

/// Whether a noun in lower case is a plural by its form.
bool is_plural_noun(std::string_view word);

/// Whether words between two places of an English text read like several things: "stories", "the new shoes".
bool names_several_things(const LatinWords& words, std::size_t begin, std::size_t end);

/// Whether a word in lower case may be a form of a verb: "go", "goes", "went".
bool is_verb_form(std::string_view word);

}  // namespace weft
