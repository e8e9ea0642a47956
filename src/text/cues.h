#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/plain_words.h"
#include "text/words.h"

namespace weft {

/// Signs in a message's wording of how it relates to what was said before it. Both languages share them.
enum class Cue : std::uint8_t {
  kChange,       ///< says that something else follows: "by the way", "next topic", "换个话题"
  kAdds,         ///< begins by adding: "also", "now", "另外", "还有"
  kMore,         ///< asks for another one: "what about", "what else", "还想"
  kRequest,      ///< asks for help or a fact: "can you", "I'd like to", "帮我", "请问"
  kAsksYou,      ///< asks about the other person: "do you", "你喜欢"
  kContinues,    ///< begins as an answer or a remark on what was said: "yes", "that", "why", "那", "所以"
  kAnswers,      ///< begins as a bare answer: "no", "I do", "好的"
  kRefers,       ///< refers back in its first words: "it", "these", "这", "它"
  kRefersLater,  ///< refers back anywhere
  kThanks,
  kCloses,       ///< ends something: "bye", "you're welcome", "anything else", "不客气"
  kGreets,
  kNamesTopic,   ///< speaks about the talk itself: "topic", "question", "议题"
  kHandsOver,    ///< gives somebody the floor: "thank you for", "go ahead", "有请"
  kWh,           ///< begins as a question is begun; for Chinese: holds a word of asking
  kFirstPerson,  ///< begins with "I" or "我"
  kQuestion,     ///< holds a question mark
  kQuestionEnd,  ///< ends with one
  kCount
};

inline constexpr std::size_t kCueKinds = static_cast<std::size_t>(Cue::kCount);

/// The cues of one message.
struct Cues {
  std::bitset<kCueKinds> found;
  double words = 0;  ///< length in words; a Chinese character counts as 0.6

  bool has(Cue cue) const { return found.test(static_cast<std::size_t>(cue)); }
};

/// Finds the cues of both languages in a text: English by whole words, Chinese by characters, both near the beginning
/// except for thanks, farewells and question marks, which count anywhere. Pure; safe from any thread.
Cues find_cues(std::string_view text);

/// Whether a text says in so many words that something new begins, or begins as an addition or a request.
bool opens_topic(const Cues& cues);

/// Whether a text only makes sense after what was said before it: an answer, a remark, a reference, a command to go on.
bool continues_topic(const Cues& cues);

/// Whether a text says that something is no longer as it was: "now", "no longer", "instead", "changed to", 改成, 不再.
/// What is only added ("also", "another", 还有) is no change. Both languages; linear; safe from any thread.
bool tells_of_change(std::string_view text);

/// Whether a text says that one thing takes the place of another rather than stands beside it: "switched", "instead",
/// "gave up", 改学, 不…了. Both languages; linear; safe from any thread.
bool tells_of_replacement(std::string_view text);

/// Whether a statement adds to what is known of the same kind and replaces none of it: "I also work at the library",
/// 我也在图书馆兼职. Both languages; linear; safe from any thread.
bool tells_of_addition(std::string_view text);

/// What a text says that it goes back to, in its first words and in so many words: "the trip" of "OK, back to the
/// trip: …", 旅行 of 说回旅行的事. Empty where it names nothing ("where were we?", 话说回来); nothing where it does not
/// say so. The words alone cannot tell a talk from a place ("back to Berlin"): whether anything of that kind was spoken
/// of is for the caller to see. English and Chinese. Pure; safe from any thread.
std::optional<std::string> goes_back_to(std::string_view text);

/// Whether a text says in its first words, and so that nothing else can be meant, that it speaks of something else now:
/// "on a different note", "something else: …", 换个话题. "By the way" and 对了 are no such words. Pure; safe from any
/// thread.
bool changes_subject(std::string_view text);

/// How a clause is meant: what must, must not, may or should be, what is wanted, what is bounded, what is told of it.
/// Each is a list of lexicon/{en,zh}/modality.txt.
enum class Mood : std::uint8_t {
  // Polarity.
  kForbids,  ///< never, must not, 禁止
  kNotTo,  ///< a milder prohibition: do not, avoid, 不要
  kNotToDo,  ///< the same with a verb: stop using, 别用
  kCanNot,  ///< can not, refuses, without my
  kDoesNot,  ///< says of somebody what is not done: does not, 不提供
  kUnasked,  ///< without permission, do not share: a rule of safety
  kNegates,  ///< not, no, 没有
  kHoldsOff,  ///< verbs that negate what stands behind them: stop, decline, 杜绝
  kNoNegation,  ///< holds a word of negation and negates nothing: not only, 特别
  kNoRule,  ///< negates or asks, and rules nothing: do not know, 不必
  // Obligation and bounds.
  kMust,
  kShould,
  kNeeds,  ///< what is required, in a file of rules
  kAtMost,  ///< rules by itself: at most, 最多
  kAtLeast,
  kNotOver,  ///< a bound that forbids: no more than, 不得超过
  kBelow,  ///< a bound beside a number: within, 以内
  kAbove,
  kOver,  ///< tells of a number as often as it bounds: over, 超过
  kLimits,  ///< budget, before, 截止
  kSafety,  ///< ask me first, 先确认
  kSensitive,  ///< what is worth protecting: delete, password, 隐私
  // Wishes.
  kPrefers,  ///< of the speaker: I prefer, 我喜欢
  kHabit,  ///< I always
  kLikes,  ///< of anybody: likes, allergic, 喜欢
  kRemember,
  kFromNowOn,
  kRequest,
  kLongTerm,  ///< an aim beyond this conversation
  // What is told.
  kRole,  ///< you are a, 你是
  kDecision,
  kDone,
  kOpen,
  kRisk,
  // Grammar.
  kModalVerb,  ///< may, can, 可以: no subject of a statement
  kBorder,  ///< but, unless, 但: another clause begins
};

inline constexpr std::size_t kMoodCount = static_cast<std::size_t>(Mood::kBorder) + 1;

/// Moods that are looked for, or that a phrase has.
class Moods {
 public:
  constexpr Moods() = default;
  template <class... More>
  constexpr explicit Moods(Mood first, More... more) : bits_((bit(first) | ... | bit(more))) {}

  constexpr bool any(Moods other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool has(Mood mood) const { return (bits_ & bit(mood)) != 0; }
  constexpr void add(Mood mood) { bits_ |= bit(mood); }
  constexpr Moods operator|(Moods other) const {
    other.bits_ |= bits_;
    return other;
  }

 private:
  static constexpr std::uint64_t bit(Mood mood) { return std::uint64_t{1} << static_cast<unsigned>(mood); }
  std::uint64_t bits_ = 0;
};

struct Modal {
  std::size_t words = 0;  ///< 0: none begins there
  Moods moods;
};

/// The longest phrase that begins at a word and has one of the wanted moods; those of the wanted that it has. Phrases
/// are whole words, so that 不 within 不但 or "like" within "likely" are none. Safe from any thread.
Modal modal_at(const std::vector<PlainWord>& words, std::size_t at, Moods wanted);

/// Whether a text only asks: it ends with a question and says little else ("Thanks! What was it like?"). Such a text is
/// rarely what somebody looks for later, the answer after it is. Long questions tell of the asker's own matters and do
/// not count. Both languages.
bool is_bare_question(std::string_view text);

/// Whether a text speaks of who says it: "my", "we", 我, but for words that only ask for something, "How do I …?",
/// 帮我. Both languages; linear; safe from any thread.
bool speaks_of_who_asks(std::string_view text);

/// Whether a text asks and tells nothing by it: a bare question that is not about the asker's own matters, or that asks
/// for a fact of them ("Where do I live?"). "Which lens fits my Sony A7?" tells what camera the asker has and does not
/// count. Both languages.
bool only_asks(std::string_view text);

/// Whether an answer says that its speaker does not know: "I have no information about that.", 我不知道。 Short texts
/// only; both languages.
bool knows_no_answer(std::string_view text);

/// The words of the index that the entries of a list of lexicon/{en,zh}/FILE.txt give.
TermSet listed_terms(std::string_view file, std::string_view list);

/// The mark of a bare question among the terms of an item, so that it is kept without a field of its own. No word gives
/// it.
Term question_mark_term();

/// The same for an item whose text is Chinese.
Term chinese_term();

}  // namespace weft
