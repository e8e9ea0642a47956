#pragma once

#include <span>
#include <string>
#include <string_view>

#include "flow/memory/profile_statements.h"

namespace weft {

/// The attribute of what ends whatever has a value: "gave up tennis" ends "plays tennis".
inline constexpr std::string_view kAnyAttribute = "*";

/// What a phrase says about its value.
struct Phrase {
  std::string attribute;
  bool single = false;
  Polarity polarity = Polarity::kYes;
};

struct EnglishPhrase {
  std::string words;  ///< folded, one space between
  Phrase phrase;
};

struct ChinesePhrase {
  std::string words;
  Phrase phrase;
};

/// A value between two parts, the second of which ends the clause.
struct ChineseFrame {
  std::string before, behind;
  Phrase phrase;
};

/// The verb phrases that begin with a word, positive and negated.
std::span<const EnglishPhrase> english_phrases(std::string_view first_word);

/// The attribute of a noun that somebody has ("phone number"); empty if it is none that is kept. "favourite …" is any.
std::string owned_attribute(std::string_view noun);

std::span<const ChinesePhrase> chinese_phrases();
std::span<const ChineseFrame> chinese_frames();

/// Words before a verb that make a sentence no statement: past, possible, wished.
bool is_unsure_english(std::string_view word);
bool is_unsure_chinese(std::string_view before_verb);

/// Words that change nothing: "now", "really", 现在, 很.
bool is_adverb_english(std::string_view word);
std::span<const std::string_view> adverbs_chinese();

/// Whether a subject names nobody: what it means only the conversation tells ("this", "my sister", 你).
bool is_no_name_english(std::string_view subject);
bool is_no_name_chinese(std::string_view subject);

bool is_pronoun_english(std::string_view word);
bool is_pronoun_chinese(std::string_view word);

/// Words at which a value ends because a reason or a relative clause begins.
bool ends_value_english(std::string_view word);

}  // namespace weft
