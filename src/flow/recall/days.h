#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "weft/time.h"

namespace weft {

/// Days of the calendar, since 1970-01-01, both ends inclusive.
struct DayRange {
  std::int32_t from = 0, to = 0;
  friend bool operator==(const DayRange&, const DayRange&) = default;
};

/// A day, month or year that a question names; without a year it means every year.
struct NamedDays {
  std::optional<int> year;
  int from_month = 1, from_day = 1, to_month = 12, to_day = 31;
  friend bool operator==(const NamedDays&, const NamedDays&) = default;
};

/// What a question says of days.
struct DaysAsked {
  /// The dates it names: "17 December 2022", "May 3rd", "in March", "2025-01-18", "in 2021"; "2025年1月18日",
  /// "3月上旬", "十一月初", "5月份". Words that merely look like a month ("may I", "march on") are left out.
  std::vector<NamedDays> named;
  /// Days up to now that are told in relation to it: "yesterday", "last week", "two months ago", "the past ten days";
  /// "昨天", "上周", "三个月前". What is told in months is meant to within half a month. None without a now.
  std::vector<DayRange> relative;
};

/// Reads a question once for both.
DaysAsked days_asked(std::string_view text, std::optional<Time> now);

/// The days meant, in every year between `first` and `last` where no year is named.
std::vector<DayRange> day_ranges(const NamedDays& named, std::int32_t first, std::int32_t last);

/// Days since 1970-01-01 of a date of the Gregorian calendar.
std::int32_t day_number(int year, int month, int day);

/// The year in which a day lies.
int year_of_day(std::int32_t day);

}  // namespace weft
