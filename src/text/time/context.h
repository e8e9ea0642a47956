#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "text/time/grammar.h"
#include "text/time/lexer.h"
#include "text/time/render.h"

namespace weft::timex {

/// What a sentence tells of, by its verbs and particles.
struct Tense {
  bool past = false;    ///< and of nothing to come
  bool future = false;  ///< plans and what is arranged among it: "we booked 9 to 21 May"
  bool done = false;    ///< the clause itself says that it is done, as 二月结婚了
  bool either = false;  ///< nothing but a form that is present and past: "Quit on Monday"
  bool late = false;    ///< how late a night has ended: 凌晨三点才睡
};

/// The tense of the sentence around an expression; where it has none, that of the sentence before it.
Tense tense_of(const std::vector<Token>& tokens, const Node& node);

/// Whether what stands around speaks against a time: part of a number, a score, a house, a list of points.
bool is_disturbed(const std::vector<Token>& tokens, const Node& node);

/// Whether a word that is a time only among others ("may", "sat") is one here.
bool is_called_for(const std::vector<Token>& tokens, const Node& node);

/// How an English expression stands in its sentence.
Position position_of(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

/// Whether words that could be a time are part of a name: June Carter, Friday Night Lights, the file april-report,
/// 李明天, 王五月, 今日头条, 晚上好.
bool is_name(const std::vector<Token>& tokens, const Node& node);

/// A day that the text has named.
struct NamedDay {
  Moment day = 0;
  std::size_t at = 0;  ///< the token
};

/// What a Chinese part of the day means of which the day is unsaid, 晚上 or 下午三点: that of the day that the text
/// named last, where that is in the same sentence, else of the day of speaking or of the night beside it: 凌晨三点,
/// said late in the evening. Nothing where another sentence named another day, where it is a habit (每天晚上), a
/// greeting, a length, where the tense speaks against the day, and for other expressions.
std::optional<Meaning> meaning_of_part(const std::vector<Token>& tokens, const Node& node, const Setting& setting,
                                       const Tense& tense, const std::optional<NamedDay>& named);

/// What 次日 and 翌日 mean: the day behind the one that the text named last; where it named none and tells no story,
/// tomorrow. Nothing for other expressions.
std::optional<Meaning> meaning_of_next_day(const std::vector<Token>& tokens, const Node& node, const Setting& setting,
                                           const Tense& tense, const std::optional<NamedDay>& named);

/// Whether the sentence tells of what is so each time: 我平时周末跑步, "we usually meet on Monday".
bool tells_habit(const std::vector<Token>& tokens, const Node& node);

/// Whether 周末 is one of which a story tells: 周末去了海边.
bool is_gone_weekend(const std::vector<Token>& tokens, const Node& node, const Tense& tense);

/// Whether 周末 is one that is planned or asked for (周末有空吗), not weekends in general (周末长跑).
bool is_coming_weekend(const std::vector<Token>& tokens, const Node& node, const Tense& tense);

}  // namespace weft::timex
