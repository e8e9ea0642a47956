#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// The attribute of what lasts and is told in words that the grammar of profiles does not know. It is remembered as an
/// event and stands in no profile, whose lines must be such as later ones can replace.
inline constexpr std::string_view kSaidAttribute = "said";

/// Something that somebody stated of themselves in passing.
struct SaidFact {
  std::string text;       ///< a sentence that needs no speaker: "Ann lives in Porto.", 用户住在波尔图。
  std::string quote;      ///< the words that say it, as they stand in the message
  std::string attribute;  ///< what it tells of: "residence", "wish:units"; "*" ends whatever has its value
  std::string value;      ///< by its content words
  std::vector<std::string> over = {};  ///< events of facts that it takes the place of, whatever their attributes
};

/// "No, I meant Thursday", 不是周二，是周四: what was said before is to be read otherwise.
struct SaidCorrection {
  std::string wrong;  ///< what had been said; empty: not named
  std::string right;
};

struct SaidThings {
  std::vector<SaidFact> facts;
  std::optional<SaidCorrection> correction;
};

/// Reads what a user's message states of the user, of those who belong to them and of how they want to be answered:
/// clauses in the first person that the grammar of profiles understands whole, and standing wishes. What is asked,
/// supposed, quoted, code or handed over to be worked on states nothing. `subject` is how the speaker is called in the
/// sentences made; empty: "The user", 用户. Messages over 8 KB state nothing. Linear; safe from any thread.
SaidThings read_said(std::string_view message, const std::string& subject);

/// The sentences of a message that may state something of its speaker, as views into it: of `stated_sentences` those
/// that quote nobody.
std::vector<std::string_view> stating_sentences(std::string_view message);

/// How a speaker without a name is called in the language of a text: "The user", 用户.
std::string_view name_of_speaker(std::string_view text);

/// What a sentence tells beside what it asks: "I live in Porto" of "I live in Porto, can you name a café?"; all of one
/// that asks nothing; empty where it is all one question.
std::string_view told_part(std::string_view sentence);

/// The facts of one sentence of either language.
std::vector<SaidFact> english_facts(std::string_view sentence, const std::string& subject);
std::vector<SaidFact> chinese_facts(std::string_view sentence, const std::string& subject);

/// A whole sentence as somebody else would say it of its speaker: "The landlord raised the user's rent". `subject` as
/// for `read_said`.
std::string in_third_person(std::string_view sentence, const std::string& subject);
std::string english_in_third_person(std::string_view sentence, const std::string& subject);
std::string chinese_in_third_person(std::string_view sentence, const std::string& subject);

/// The correction that a sentence makes.
std::optional<SaidCorrection> read_correction(std::string_view sentence);

}  // namespace weft
