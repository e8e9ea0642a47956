#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"

namespace weft {

/// The words by which a standing wish is known; used by `standing_wishes` only. Safe from any thread.

enum class WishSign : std::uint8_t {
  kAsks,      ///< begins as an instruction: "keep", "use", "please don't"
  kForbids,   ///< begins as a forbidding one: "don't", "never", "stop"
  kSpeaks,    ///< begins with how to speak: "answer", "reply", "talk"
  kLikes,     ///< begins with what somebody likes: "I prefer", "I hate it when you"
  kAlways,    ///< says that it holds on: "always", "from now on"
  kOnce,      ///< says that it does not: "this time", "for now"
  kPointing,  ///< points at something that is there: "this", "the following"
  kAnswers,   ///< speaks of answers in general, or of the one who gives them
  kPiece,     ///< asks for one thing to be made: "write me a"; or is a mere phrase: "never mind"
  kWhen,      ///< begins with a condition: "whenever you"
  kBringsUp,  ///< speaks of bringing something up: "mention", "suggest"
};

/// Whether a wish says what it is about: not "don't remind me", 别提了.
bool names_its_matter(std::string_view wish);

/// Whether a sentence tells of its speaker or of the moment and does not say that it holds on: "I'm trying to prove …".
bool tells_of_the_moment(std::string_view wish);

/// An English clause as a row of words, without what politeness puts before it.
class WishWords {
 public:
  explicit WishWords(std::string_view clause);
  bool empty() const { return words_.empty(); }
  std::string_view text() const { return words_; }
  /// Whether a phrase of that sign stands anywhere; of the first kinds, at the beginning.
  bool has(WishSign sign) const;
  bool begins(WishSign sign) const;

 private:
  std::string words_;  ///< " keep answers short "
};

/// Whether an English clause (lower case, a blank around each word) only says when or how what the clause before tells
/// is done, and asks for nothing: " never on fridays ".
bool only_adds(std::string_view words);

/// Whether an English clause (see `only_adds`) begins with "always" or "never" and instructs nobody: " never better ",
/// " always a pleasure ", " never been to japan ". An instruction has the base form of a verb behind the adverb.
bool is_exclamation(std::string_view words);

struct ChineseWish {
  bool asks = false, always = false, once = false, pointing = false;
  bool speaks = false;  ///< of answers, or of how to speak
};
ChineseWish read_chinese_wish(std::string_view clause);

/// Whether a Chinese clause (simplified, see `fold_han`) tells what the speaker does, so that nothing is wished of the
/// one who answers: 我先按你说的试试.
bool tells_own_deed(std::string_view clause);

/// Whether a Chinese clause tells what somebody always or never does, and asks for nothing: 总是用左手写字.
bool tells_habit(std::string_view clause);

/// The clauses of a sentence that may each be a wish: "Keep answers short, use metric" has two.
std::vector<std::string_view> wish_clauses(std::string_view sentence, bool chinese);

/// What answers can be like, by the names of the lists in lexicon/*/answer_aspects.txt.
std::span<const std::string_view> answer_aspects();

/// Wishes about this ("units", "name", "emoji") hold on though they do not say so.
bool is_standing_by_nature(std::string_view aspect);

/// A standing wish and when it applies.
struct ConditionedWish {
  std::string wish;  ///< normalized, without the condition
  std::string condition;  ///< "i ask about weather", 我问天气; empty: it applies always
};

/// Takes off what the speaker does when a wish applies: "Give the price when I ask about a book", 我问菜谱的时候按克写.
/// Two wishes under different conditions are two wishes. Linear; safe from any thread.
ConditionedWish read_wish_condition(std::string_view wish);

/// Whether a clause that says how something is to be told also names what: "explain black holes in one sentence" is
/// about black holes and asked once, "explain things in one sentence" about all that is to come; 用一句话讲讲黑洞,
/// 讲得简单一点. Known by what is left of it without the words for asking, answering and manner, and those of grammar.
/// Both languages; linear; safe from any thread.
bool names_matter(std::string_view clause);

/// How somebody wants to be answered from now on, as far as a small grammar of both languages sees it: "Keep answers
/// short", 以后都用中文回答, "please don't use emojis".

/// The wishes of a sentence that hold for every later answer, in its own words. What belongs to one task only ("Use
/// metric for this recipe") is none. `alone`: the message asks for nothing else, so that what says no time for itself
/// is not about that. Linear; safe from any thread.
std::vector<std::string> standing_wishes(std::string_view sentence, bool alone);

/// The same by the grammar of clauses alone, without what `is_general_wish` takes as a whole.
std::vector<std::string> clause_wishes(std::string_view sentence, bool alone);

/// What a wish is about, whatever it applies to: "length", "units", "language", "emoji", …
std::string wish_aspect(std::string_view wish);

/// The attribute of a wish, "wish:length"; another wish of the same takes its place. Where the speaker says when it
/// applies, that belongs to it: "wish:length when i ask about code".
std::string wish_attribute(std::string_view wish);

/// A wish as a fact about who wishes it, without what leads to it and what is told behind it: of "ok last: metric
/// please, you did miles before" the words "metric please".
SaidFact wish_fact(std::string_view subject, std::string wish);

/// A wish as a line of a profile: "Ann asks: Keep answers short", 用户要求：以后都用中文回答.
std::string wish_line(std::string_view subject, std::string_view wish);

/// Reads such a line; nothing for any other sentence.
std::optional<ProfileStatement> read_wish_line(std::string_view line);

/// Whether a whole sentence tells how its speaker wants to be answered from now on, in whatever words: it asks
/// something of the one who answers (an instruction, a liking, a request), and says or implies that it holds for all
/// answers ("from here on", "whatever you send me", "with me"; 往后, 凡是, 跟我说话). Not what is asked once, told of
/// others, of former times or of the speaker, or merely supposed. Finds what the grammar of clauses misses, with less
/// precision. Both languages; linear; safe from any thread.
bool is_general_wish(std::string_view sentence);

/// Whether a sentence speaks of what answers are like, or says that something holds on, at all: what does neither is no
/// wish, whatever its meaning is like. Cheap.
bool may_hold_on(std::string_view sentence);

}  // namespace weft
