#pragma once

#include <optional>
#include <string>
#include <vector>

#include "text/time/context.h"
#include "text/time/grammar.h"
#include "text/time/phrase.h"
#include "text/time/when.h"

namespace weft::timex {

struct Told {
  std::vector<std::string> notes;
  /// Where the sentence says another time than the words alone: 周末去了海边 is the weekend that is over.
  std::optional<Meaning> meaning;
};

/// What is set beside words that name a time as seen from the moment of speaking, for a reader who does not know it:
/// "28 November 2026", 2026年11月28日, as exactly as the words are and no more ("last month" is "October 2026", "two
/// weeks ago" "around 8 November 2026"). One text where the meaning is certain; two where either may be meant ("next
/// Friday", said on a Monday); none where nothing can be said ("a few days ago", "at five") or nothing needs to be
/// ("now").
Told notes_on(const std::vector<Token>& tokens, const Node& node, const Setting& setting, const Tense& tense);

/// An expression in its sentence, as notes are written on it.
struct Expression {
  const std::vector<Token>& tokens;
  const Node& node;
  Phrase words;
};

/// Whether nothing is set beside a time: nobody knows when it is ("a few days ago"), it is no day of the calendar ("the
/// Sunday mass", opening hours), or rather no time at all ("8/10", "on the 5th floor").
bool is_unnoted(const Expression& expression, const When& when);

/// Whether a weekday stands beside what people do each week, 我周三踢足球, "I play football on Wednesday": as often of
/// all of them as of the next. Only where nothing in the sentence tells of the past or of a plan.
bool is_regular(const Expression& expression, const When& when);

}  // namespace weft::timex
