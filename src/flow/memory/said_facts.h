#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_statements.h"

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

/// What both languages share in reading what was said; see `read_said`.

/// Adds what a sentence in the third person states of `subject` and of those who belong to them, one fact a statement's
/// sentence; nothing where it states nothing that is worth keeping. True where something was added.
bool add_facts(const std::string& text, std::string_view quote, const std::string& subject,
               std::vector<SaidFact>& facts);

/// Whether a fact gives the measure of something that it does not name: a budget of a bare number; where what it is of
/// is left `open` by the words around it, any budget, limit or deadline.
bool lacks_matter(const SaidFact& fact, bool open);

/// Whether the line of a fact belongs in a profile, which holds what is always to be known. `read` is what the grammar
/// of profiles reads in the line: it must find the attribute again. Single events, appointments, what holds on one day,
/// and budgets and prices do not last.
bool lasts_in_profile(std::string_view line, std::string_view attribute, std::span<const ProfileStatement> read);

/// A fact that the grammar of profiles does not know, kept as it was told.
SaidFact told_fact(std::string text, std::string_view quote);

/// What Chinese sentences ask of the one who answers, which tells nothing of who asks. By grammar: lexicon/zh/requests.
/// Cheap; safe from any thread.

/// The clauses of a sentence, as views into it, without marks and blanks around them.
std::vector<std::string_view> chinese_clauses(std::string_view sentence);

/// Whether a sentence has words of a need: 帮我, 能不能, 推荐. It may tell something besides.
bool says_need(std::string_view sentence);

/// Whether a clause tells the one who answers to do something, 帮我写…, 请把…, or names what is wanted of them, 我想订
/// 一家…, 我需要知道…, 我想让它长一点. What was done for somebody, 帮我妈搬了家, and what is looked for in a life,
/// 在找一份工作, is neither.
bool asks_hearer(std::string_view clause);

/// Whether a sentence is nothing but such clauses, courtesies, questions and what it says of the things asked for; not
/// where a clause beside them speaks of the speaker or of people: 我妈对花生过敏，帮我找一家餐馆.
bool is_request(std::string_view sentence);

/// Which clauses in the first person tell something that still matters in months: what somebody is, has, does again and
/// again, likes, can, intends, or what has changed in their life. By the class of the verb and what stands beside it:
/// verbs of thinking, saying, asking and feeling tell of the moment. Linear; safe from any thread.

/// `words` as they stand, from the one in the first person on: "I", "I'm", "my", "we've".
bool lasts_english(const std::vector<std::string_view>& words);

/// How many of the words tell it: a reason, a relative clause or an aside behind it is left out.
std::size_t told_words_english(const std::vector<std::string_view>& words);

/// `rest` is what stands behind 我 or 我们 in its clause; `goes_on`: or a clause without a subject behind such a one.
bool lasts_chinese(std::string_view rest, bool goes_on);

/// Whether a clause begins with somebody of one's own: 老公, 爸妈.
bool begins_with_kin(std::string_view clause);

/// The same as `lasts_chinese` of a clause that begins so.
bool kin_lasts(std::string_view clause);

/// Whether what became of a thing or a person behind 我的 matters: 车昨天坏了.
bool own_thing_lasts_chinese(std::string_view rest);

/// Whether a clause without a subject tells what ails its speaker: 最近腰背有点紧.
bool ails_chinese(std::string_view clause);

/// Which words of a message its speaker states, and which are only handed over. Both languages; linear; safe from any
/// thread.

/// A sentence of a message that is its speaker's own.
struct StatedSentence {
  std::string_view text;  ///< a view into the message, without codes, mentions and emoji around it
  bool quotes = false;  ///< holds words of somebody in the first person: a wish perhaps ("Never say 'I …'"), no fact
};

/// The sentences that a message's speaker says as their own. Left out are: text to be translated, summarised,
/// rewritten, corrected or answered, before or behind the request for it, with the request; quoted speech, also where
/// its end is missing; replies and block quotes; letters and e-mails; lines of a transcript; what is made up. None of a
/// message over 8 KB, with code, or of broken text.
std::vector<StatedSentence> stated_sentences(std::string_view message);

/// Whether what a sentence says in the first person is said by somebody else: all within quotation marks behind a word
/// of saying, 他说：“我…”, or in a story that is told of, 小说里的主角…. Chinese.
bool is_said_by_others(std::string_view sentence);

/// The check that each statement passes before it is kept: it must mean the same to somebody who has not read the
/// message. Both languages; linear; safe from any thread.

/// Whether a statement about `subject` ("The user", 用户, a name) is a whole sentence about somebody certain: brackets
/// and quotation marks close, no connective hangs at either end, a verb is there, and outside of quotations no "I",
/// "you" or "here" is left, and no "she" or "it" but one that belongs to whom the sentence is about ("The user's sister
/// lives with her husband"). A budget or a limit says what of.
bool is_whole_statement(std::string_view text, std::string_view subject);

/// The same of a sentence that is kept as it was told, in which an open "he" may stand.
bool is_told_whole(std::string_view text);

/// Whether a standing wish says by itself whom and what it is about.
bool is_whole_wish(std::string_view wish);

/// Where the time ends that a clause begins with: of "so next year I live in Bern" behind "year", of 去年我住在成都
/// behind 去年; 0 where it begins with none. Lengths ("for two years") and repetitions ("on Mondays") are no such time.
std::size_t end_of_time_in_front(std::string_view clause);

/// Whether a clause begins with a time other than now and so does not say how things are: "Next year I live in Bern",
/// 2019年我在腾讯上班. "Since 2019 I live in Bern" does, and so does a change in the past: "Last month I moved to
/// Bern".
bool is_of_another_time(std::string_view clause);

/// The same of a time anywhere in a clause, 我们两周后搬家: what goes on behind the clause is so then.
bool is_at_another_time(std::string_view clause);

/// Whether a fact may be kept, by the check that its kind asks for.
bool may_be_kept(const SaidFact& fact, std::string_view subject);

}  // namespace weft
