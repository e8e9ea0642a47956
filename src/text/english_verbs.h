#pragma once

#include <string>
#include <string_view>

namespace weft {

/// English verb forms, by the regular rules and a list of the irregular ones. All words in lower case.

/// The form after he, she or a name: "go" → "goes", "have" → "has", "try" → "tries", "don't" → "doesn't".
std::string third_person(std::string_view base);

/// Whether a word is the base form of a common verb.
bool is_base_verb(std::string_view word);

/// Whether a word is a past form ("went", "played"): the same for every person. Forms that are also the base ("put",
/// "read") are not.
bool is_past_form(std::string_view word);

/// Whether a word is the base form of a verb and its past form at once: "quit", "read", "put".
bool is_base_and_past(std::string_view word);

/// Whether a word is a past participle, as after "had": "been", "gone", "played".
bool is_participle(std::string_view word);

/// Verbs that are the same for every person: can, will, could, must, 'll …, with and without "not".
bool is_modal(std::string_view word);

/// Forms of be, do and have and the modals: what may stand before its subject in a question.
bool is_auxiliary(std::string_view word);

/// Adverbs that stand between a subject and its verb: also, just, never, …ly.
bool is_mid_adverb(std::string_view word);

/// Whether a folded word of the index (English) or a single Chinese character or pair says nothing about the subject:
/// articles, prepositions, pronouns, auxiliaries, particles. Safe from any thread.
bool is_function_word(std::string_view word);

}  // namespace weft
