#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/lexicon.h"
#include "text/references.h"
#include "text/words.h"

namespace weft {

/// English words for people by whom they are to somebody, "sister", "boss", with their gender where the word says it.
const std::unordered_map<std::string_view, Gender>& relatives();

/// People by what they do or are: "author", "mechanic". Nothing of their gender.
bool is_role(std::string_view word);

/// Words for relatives that stand like a name for the speaker's own: "mom", "grandpa".
bool is_called_by_kinship(std::string_view word);

/// Animals that people live with or meet, in the singular: he or she as well as it.
bool is_animal(std::string_view word);

/// The same, several: "dogs", "puppies".
bool is_plural_animal(std::string_view word);

/// Whether only people do what a verb in lower case tells, in any of its forms: "say", "told", "offers".
bool is_verb_of_people(std::string_view word);

/// "Someone", "each": one of whom "they" is said.
bool is_anybody(std::string_view word);

/// Several people: "parents", "mechanics", "children".
bool is_plural_person(std::string_view word);

/// First names that are common words, too: "will", "grace".
const LexiconWords& names_that_are_words();

/// Words with a capital that are nobody: "Monday", "Thanks".
const LexiconWords& no_names();

/// Titles before a name: "dr", "aunt".
const LexiconWords& person_titles();

/// Words behind which a name is somebody's: "met", "told".
const LexiconWords& before_names();

/// Words before which a name is somebody's: "said", "lives".
const LexiconWords& behind_names();

/// What a title says of who bears it: "mrs" is of a woman.
Gender gender_of_title(std::string_view title);

/// A word for a person, and what it says of them.
struct PersonWord {
  std::string_view word;
  Gender gender = Gender::kUnknown;
};

/// Chinese words of one kind, found where a text has them.
class ChinesePersonWords {
 public:
  explicit ChinesePersonWords(const std::vector<PersonWord>& words);

  /// The longest of them that begins at this byte; null where none does.
  const PersonWord* at(std::string_view text, std::size_t at) const;

  /// The longest of them that ends the text; null where none does.
  const PersonWord* ending(std::string_view text) const;

 private:
  std::unordered_map<std::string_view, PersonWord> words_;
  std::size_t longest_ = 0;  ///< bytes
};

/// What may stand behind a Chinese surname: 老师, 女士.
const ChinesePersonWords& chinese_titles();

/// By whom somebody is to the one who speaks: 妈妈, 同事.
const ChinesePersonWords& chinese_relatives();

/// Who is told of with 一位 or 那个: 女孩, 司机, 邻居, and all relatives.
const ChinesePersonWords& chinese_somebody();

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
