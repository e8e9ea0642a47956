#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "growth/belief_book.h"
#include "text/words.h"

namespace weft {

/// A dimension of what users prefer of answers, and one of its values. The words by which they are named in both
/// languages are lexicon/{en,zh}/preferences.txt.
struct PreferenceName {
  std::string_view dimension, value;
  std::string_view opposite;  ///< the value that "not" makes of it; empty: of several nobody knows which
};
std::span<const PreferenceName> preference_names();

/// A preference as it is told: "Keep answers short.", 回答要简短。 Of a dimension that is not known "dimension: value".
std::string preference_text(std::string_view dimension, std::string_view value, Language language);

/// The dimensions that a text names, each with the last value named, by words and the negation before them.
std::map<std::string, std::string> named_preferences(std::string_view text);

/// What shows in an answer itself: language, format, emoji, units. Dimensions of which nothing shows are left out.
std::map<std::string, std::string> visible_preferences(std::string_view answer);

/// The options that an answer offers ("A. …", "2) …", 方案一：…) and asks about, without their labels; none where there
/// are fewer than two or it asks nothing.
std::vector<std::string> offered_options(std::string_view answer);

/// Which option somebody means by letter, number, ordinal or the option's own words. None where that is not clear.
std::optional<std::size_t> chosen_option(std::span<const std::string> options, std::string_view reply);

/// What a user's message shows, said outright or in reply to the `answer` before it (empty: none): a wish, a choice, a
/// changed copy of the answer, a question for more. Where it shows nothing behind an answer, one of kind kSilence.
/// Sources and times are for the caller to fill in. Linear; safe from any thread.
std::vector<BeliefSignal> signs_of_message(std::string_view answer, std::string_view message);

/// What somebody made of an answer.
std::vector<BeliefSignal> signs_of_edit(std::string_view before, std::string_view after);

}  // namespace weft
