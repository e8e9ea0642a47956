#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/plain_words.h"

namespace weft {

/// How a clause is meant: what must, must not, may or should be, what is wanted, what is bounded, what is told of it.
/// Each is a list of lexicon/{en,zh}/modality.txt.
enum class Mood : std::uint8_t {
  // Polarity.
  kForbids,     ///< never, must not, 禁止
  kNotTo,       ///< a milder prohibition: do not, avoid, 不要
  kNotToDo,     ///< the same with a verb: stop using, 别用
  kCanNot,      ///< can not, refuses, without my
  kDoesNot,     ///< says of somebody what is not done: does not, 不提供
  kUnasked,     ///< without permission, do not share: a rule of safety
  kNegates,     ///< not, no, 没有
  kHoldsOff,    ///< verbs that negate what stands behind them: stop, decline, 杜绝
  kNoNegation,  ///< holds a word of negation and negates nothing: not only, 特别
  kNoRule,      ///< negates or asks, and rules nothing: do not know, 不必
  // Obligation and bounds.
  kMust,
  kShould,
  kNeeds,      ///< what is required, in a file of rules
  kAtMost,     ///< rules by itself: at most, 最多
  kAtLeast,
  kNotOver,    ///< a bound that forbids: no more than, 不得超过
  kBelow,      ///< a bound beside a number: within, 以内
  kAbove,
  kOver,       ///< tells of a number as often as it bounds: over, 超过
  kLimits,     ///< budget, before, 截止
  kSafety,     ///< ask me first, 先确认
  kSensitive,  ///< what is worth protecting: delete, password, 隐私
  // Wishes.
  kPrefers,   ///< of the speaker: I prefer, 我喜欢
  kHabit,     ///< I always
  kLikes,     ///< of anybody: likes, allergic, 喜欢
  kRemember,
  kFromNowOn,
  kRequest,
  kLongTerm,  ///< an aim beyond this conversation
  // What is told.
  kRole,      ///< you are a, 你是
  kDecision,
  kDone,
  kOpen,
  kRisk,
  // Grammar.
  kModalVerb,  ///< may, can, 可以: no subject of a statement
  kBorder,     ///< but, unless, 但: another clause begins
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

}  // namespace weft
