#pragma once

#include <optional>
#include <span>

#include "text/time/rules.h"

namespace weft::timex {

/// The functions of times that are counted from others, of their parts and of what belongs together.
std::span<const Function> counted_functions();

// What both files of functions use.

std::optional<Node> if_time(std::optional<When> when);

/// The first moment that an operand means.
std::optional<Moment> begin_of(const Call& c, std::size_t i);

/// The number of the weekday that an operand names.
std::optional<int> weekday_number(const Call& c, std::size_t i);

/// How long ago the day of speaking began.
Moment since_midnight(const Setting& setting);

/// The moment of speaking.
When now_when();

/// The unit that holds a moment, shifted by `count` units, as the moment of speaking shows it: this week is 0.
When unit_when(Moment at, Grain grain, std::int64_t count);

/// A stretch that its words fix by themselves.
When dated(Interval interval, Grain grain, unsigned fields);

/// A time that is known, seen from the moment of speaking unless that from which it is counted is dated.
std::optional<Node> known(Interval interval, Grain grain, const When& seen_from = {});

/// Spring is 0. By the astronomical dates of the north, as in the West.
When season_when(int season);

}  // namespace weft::timex
