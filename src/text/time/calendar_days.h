#pragma once

#include <span>
#include <string_view>

#include "text/time/rules_parts.h"

namespace weft::timex {

/// A day of a month, under the words by which it is called, with bars between them.
struct FixedDay {
  std::string_view words;
  int month, day;
};

/// A weekday of a month: 1 Monday to 7 Sunday, the nth one or, below zero, the nth from the end; moved by so many days.
struct FloatingDay {
  std::string_view words;
  int month, weekday, nth, shift;
};

/// The rules that know these days in any year. The words are not copied.
Rules calendar_days(std::span<const FixedDay> fixed, std::span<const FloatingDay> floating);

}  // namespace weft::timex
