#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/time/grammar.h"

namespace weft::timex {

/// The rules of a language and those of dates in digits. Patterns are explained at `Rule`.
std::vector<Rule> english_rules();
std::vector<Rule> chinese_rules();
std::vector<Rule> numeric_rules();

/// Holidays by name, in both languages.
std::vector<Rule> holiday_rules();

// What rules make.

Node time_node(When when, bool latent = false);
Node unit_node(Grain grain);
Node idiom_node();
Node amount_node(double count, Grain grain);
Node set_node(std::string repetition);
std::optional<Node> if_time(std::optional<When> when, bool latent = false);

/// A rule for words that always mean the same.
Rule constant(std::string_view pattern, Node node);

When date_of(SeriesPtr series, Grain grain, unsigned fields);
When month_when(int month);
When weekday_when(int weekday);
When month_day(int month, int day);
When day_of_month(int day);
When year_when(std::int64_t year);
When full_date(std::int64_t year, int month, int day);
When clock_when(int hour, int minute, int second, Grain grain, bool ambiguous);
When part_when(PartName name, int from_hour, int to_hour);
/// "2 am tonight", 今晚凌晨两点: an hour before 5 of the coming night, or of the running one; nothing for other hours.
std::optional<When> small_hours_tonight(const When& clock, const Setting& setting);
When now_when();

/// The unit that holds the moment of speaking, shifted by `count` units: this week is 0, next year 1.
When unit_when(const Setting& setting, Grain grain, std::int64_t count);

/// `count` units of the calendar or the clock before (negative) or behind the running one, as one stretch: "the last
/// two days". Minutes that are full run no longer.
When units_when(const Setting& setting, Grain grain, std::int64_t count);

/// The moment an amount before (-1) or after (1) a moment; a day where the amount has no hours.
When shifted(Moment from, const Amount& amount, int sign);

/// The first moment a time means, for "two days after" it.
std::optional<Moment> begin_of(const When& when, const Setting& setting);

/// A weekday of the week that is `weeks` away.
When weekday_of_week(const Setting& setting, int weekday, int weeks);

/// The n-th unit (from the end with negative n, -1 is the last) or weekday within a time.
std::optional<When> nth_unit(const When& whole, Grain grain, int n);
std::optional<When> nth_weekday(const When& whole, int weekday, int n);

/// The first units of a longer time, or its last: "the first two weeks of July". Nothing where they do not fit in it.
std::optional<When> edge_units(const When& whole, Grain grain, int count, bool last);

/// Saturday and Sunday: the n-th, or the last with -1, of which the Saturday is in a longer time.
std::optional<When> weekend_within(const When& whole, int n);

/// The first (0), middle (1) or last (2) part of a unit: the days 1 to 10, 11 to 20 and from 21 of a month, thirds of a
/// week and of a year.
std::optional<When> third_of(const When& whole, int third);

/// The first or second half of a month or year; of a week its beginning or end. "early", "late".
std::optional<When> half_of(const When& whole, bool second);

/// The last (negative) or next `count` units up to or from the moment of speaking, whatever the calendar; days whole,
/// today among them.
When rolling_when(const Setting& setting, Grain grain, std::int64_t count);

/// From now to the end of an amount, which is a limit: "within three days", 三天内.
When limited_to(const Setting& setting, const Amount& amount);

/// Hours and what is shorter from this very moment, longer units as those of the calendar: "the next few hours",
/// 未来三天.
When near_units(const Setting& setting, Grain grain, std::int64_t count);

/// Spring is 0. By the astronomical dates of the north, as in the West.
When season_when(int season);

/// From one time to another; what the first does not say it takes from the second, and the other way about.
std::optional<When> stretch(const When& from, const When& to);
When open_from(const When& when, bool after_it);
When open_to(const When& when, bool through_it);

/// A part of the day as a repetition names it, "TMO"; empty where it has no name.
std::string part_code(PartName name);

/// "T09", "XXXX-WXX-1", "P2D" as repetitions.
std::string repeated_clock(const Clock& clock);
/// A repetition at a time of the day. 每晚八点: the part of the day ("TEV") says which eight it is; 每周五晚上一点 is
/// on Saturdays.
std::string repeated_clock(const std::string& repetition, Clock clock);

/// "P1Y2M", "PT2.5H".
std::string iso_duration(const Amount& amount);

}  // namespace weft::timex
