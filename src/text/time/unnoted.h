#pragma once

#include "text/time/phrase.h"
#include "text/time/when.h"

namespace weft::timex {

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
