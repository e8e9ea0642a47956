#include "text/time/render.h"

#include <fmt/format.h>

#include <array>

namespace weft::timex {
namespace {

constexpr std::array<const char*, 12> kMonths = {"January", "February", "March",     "April",   "May",      "June",
                                                 "July",    "August",   "September", "October", "November", "December"};

bool at_midnight(Moment at) { return floor_to(at, Grain::kDay) == at; }

std::string iso_day(Moment at) {
  const Civil day = civil(at);
  return fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

struct ClockFields {
  std::int64_t hour, minute, second;
};
ClockFields clock_of(Moment at) {
  const Moment rest = at - floor_to(at, Grain::kDay);
  return {rest / kHourSeconds, rest / kMinuteSeconds % 60, rest % 60};
}

std::string iso_moment(Moment at) {
  const auto [hour, minute, second] = clock_of(at);
  return fmt::format("{}T{:02}:{:02}:{:02}", iso_day(at), hour, minute, second);
}

/// Whether a stretch is exactly one unit of the calendar.
bool is_unit(const Meaning& meaning, Grain grain) {
  return meaning.from && meaning.to && unit_at(*meaning.from, grain) == Interval{*meaning.from, *meaning.to, grain};
}

bool is_days(const Meaning& meaning) {
  return meaning.grain >= Grain::kDay && !meaning.point && (!meaning.from || at_midnight(*meaning.from)) &&
         (!meaning.to || at_midnight(*meaning.to));
}

// English.

std::string en_day(Moment at) {
  const Civil day = civil(at);
  return fmt::format("{} {} {}", day.day, kMonths[static_cast<std::size_t>(day.month - 1)], day.year);
}

std::string en_month(Moment at) {
  const Civil day = civil(at);
  return fmt::format("{} {}", kMonths[static_cast<std::size_t>(day.month - 1)], day.year);
}

std::string en_clock(Moment at) {
  const auto [hour, minute, second] = clock_of(at);
  if (second != 0) return fmt::format("{:02}:{:02}:{:02}", hour, minute, second);
  return fmt::format("{:02}:{:02}", hour, minute);
}

std::string en_edge(Moment at, bool days) { return days ? en_day(at) : en_clock(at) + " on " + en_day(at); }

const char* en_part(const When& when) {
  if (!when.part || when.clock) return nullptr;
  switch (when.part->name) {
    case PartName::kMorning: return "morning";
    case PartName::kAfternoon: return "afternoon";
    case PartName::kEvening: return "evening";
    case PartName::kNight: return "night";
    default: return nullptr;
  }
}

struct Phrase {
  std::string preposition, words;
};

Phrase en_closed(const When& when, const Meaning& meaning) {
  const Moment from = *meaning.from, to = *meaning.to;
  if (meaning.point) return {"at", en_clock(from) + " on " + en_day(from)};
  if (const char* part = en_part(when)) return {"on", fmt::format("the {} of {}", part, en_day(from))};
  if (!is_days(meaning)) {
    if (floor_to(from, Grain::kDay) == floor_to(to - 1, Grain::kDay) && !at_midnight(to)) {
      return {"between", fmt::format("{} and {} on {}", en_clock(from), en_clock(to), en_day(from))};
    }
    return {"between", en_edge(from, false) + " and " + en_edge(to, false)};
  }
  if (is_unit(meaning, Grain::kDay)) return {"on", en_day(from)};
  if (is_unit(meaning, Grain::kWeek)) return {"in", "the week of " + en_day(from)};
  if (is_unit(meaning, Grain::kMonth)) return {"in", en_month(from)};
  if (is_unit(meaning, Grain::kYear)) return {"in", fmt::format("{}", civil(from).year)};
  if (is_unit(meaning, Grain::kDecade)) return {"in", fmt::format("the {}s", civil(from).year)};
  const Civil first = civil(from), last = civil(to - 1);
  if (first.day == 1 && civil(to).day == 1) {
    if (first.month == 1 && last.month == 12) return {"from", fmt::format("{} to {}", first.year, last.year)};
    return {"from", en_month(from) + " to " + en_month(to - 1)};
  }
  return {"from", en_day(from) + " to " + en_day(to - 1)};
}

// Chinese.

std::string zh_day(Moment at) {
  const Civil day = civil(at);
  return fmt::format("{}年{}月{}日", day.year, day.month, day.day);
}

const char* zh_half(std::int64_t hour) {
  if (hour < 6) return "凌晨";
  if (hour < 12) return "上午";
  if (hour < 13) return "中午";
  return hour < 18 ? "下午" : "晚上";
}

std::string zh_clock(Moment at) {
  const auto [hour, minute, second] = clock_of(at);
  std::string words = fmt::format("{}{}点", zh_half(hour), hour > 12 ? hour - 12 : hour);
  if (minute != 0 || second != 0) words += fmt::format("{}分", minute);
  if (second != 0) words += fmt::format("{}秒", second);
  return words;
}

std::string zh_edge(Moment at, bool days) { return days ? zh_day(at) : zh_day(at) + zh_clock(at); }

const char* zh_part(const When& when) {
  if (!when.part || when.clock) return nullptr;
  switch (when.part->name) {
    case PartName::kMorning: return when.part->from < 4 * 60 && when.part->to <= 6 * 60 ? "凌晨" : "上午";
    case PartName::kNoon: return "中午";
    case PartName::kAfternoon: return "下午";
    case PartName::kEvening: return "晚上";
    case PartName::kNight: return "深夜";
    case PartName::kOther: break;
  }
  return nullptr;
}

/// The last day of a stretch, without what the first has said.
std::string zh_last(Moment first, Moment last) {
  const Civil a = civil(first), b = civil(last);
  if (a.year != b.year) return zh_day(last);
  if (a.month != b.month) return fmt::format("{}月{}日", b.month, b.day);
  return fmt::format("{}日", b.day);
}

std::string zh_closed(const When& when, const Meaning& meaning) {
  const Moment from = *meaning.from, to = *meaning.to;
  if (meaning.point) return zh_edge(from, false);
  if (const char* part = zh_part(when)) return zh_day(from) + part;
  if (!is_days(meaning)) {
    const bool same = floor_to(from, Grain::kDay) == floor_to(to, Grain::kDay);
    return zh_edge(from, false) + "至" + (same ? zh_clock(to) : zh_edge(to, false));
  }
  if (is_unit(meaning, Grain::kDay)) return zh_day(from);
  const Civil first = civil(from), last = civil(to - 1);
  if (is_unit(meaning, Grain::kMonth)) return fmt::format("{}年{}月", first.year, first.month);
  if (is_unit(meaning, Grain::kYear)) return fmt::format("{}年", first.year);
  if (first.day == 1 && civil(to).day == 1) {
    if (first.month == 1 && last.month == 12) return fmt::format("{}年至{}年", first.year, last.year);
    if (first.year == last.year) return fmt::format("{}年{}月至{}月", first.year, first.month, last.month);
    return fmt::format("{}年{}月至{}年{}月", first.year, first.month, last.year, last.month);
  }
  return zh_day(from) + "至" + zh_last(from, to - 1);
}

/// The place of a season among four, by the month in which it begins.
std::size_t season_of(int month) { return static_cast<std::size_t>(month / 3 + 3) % 4; }

}  // namespace

std::string english_day(Moment at, bool weekday) {
  static constexpr std::array<const char*, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                       "Friday", "Saturday", "Sunday"};
  return (weekday ? std::string(kDays[static_cast<std::size_t>(timex::weekday(at) - 1)]) + ", " : "") + en_day(at);
}

std::string chinese_day(Moment at, bool weekday) {
  static constexpr std::array<const char*, 7> kDays = {"一", "二", "三", "四", "五", "六", "日"};
  return zh_day(at) + (weekday ? std::string(" 星期") + kDays[static_cast<std::size_t>(timex::weekday(at) - 1)] : "");
}

std::string iso_value(const Meaning& meaning) {
  if (meaning.point) return iso_moment(*meaning.from);
  const bool days = is_days(meaning);
  if (days && is_unit(meaning, Grain::kDay)) return iso_day(*meaning.from);
  const auto edge = [days](const std::optional<Moment>& at) {
    if (!at) return std::string("..");
    return days ? iso_day(*at) : iso_moment(*at);
  };
  return edge(meaning.from) + "/" + edge(meaning.to);
}

std::string english_words(const When& when, const Meaning& meaning, Position position) {
  const bool days = is_days(meaning);
  if (meaning.from && meaning.to) {
    const Phrase phrase = en_closed(when, meaning);
    switch (position) {
      case Position::kAdverb: return phrase.preposition + " " + phrase.words;
      case Position::kPossessive: return phrase.words.rfind("the ", 0) == 0 ? phrase.words : "the " + phrase.words;
      case Position::kNoun: break;
    }
    const bool needs = phrase.preposition == "between" || phrase.preposition == "from";
    return needs ? phrase.preposition + " " + phrase.words : phrase.words;
  }
  if (meaning.from) return (days ? "from " : "after ") + en_edge(*meaning.from, days);
  return "before " + en_edge(*meaning.to, days);
}

std::string english_note(const When& when, const Meaning& meaning) {
  if (!meaning.from || !meaning.to) return en_edge(meaning.from ? *meaning.from : *meaning.to, is_days(meaning));
  const Phrase phrase = en_closed(when, meaning);
  const Moment from = *meaning.from, to = *meaning.to;
  if (phrase.preposition == "between") {
    const bool one_day = floor_to(from, Grain::kDay) == floor_to(to - 1, Grain::kDay) && !at_midnight(to);
    return one_day ? fmt::format("{} to {} on {}", en_clock(from), en_clock(to), en_day(from))
                   : en_edge(from, false) + " to " + en_edge(to, false);
  }
  const Civil first = civil(from), last = civil(to - 1);
  const bool whole_months = first.day == 1 && civil(to).day == 1;
  if (phrase.preposition != "from" || whole_months || first.year != last.year)
    return phrase.words.rfind("the ", 0) == 0 && phrase.words.find("week") == std::string::npos ? phrase.words.substr(4)
                                                                                                : phrase.words;
  if (first.month == last.month) return fmt::format("{} to {}", first.day, en_day(to - 1));
  return fmt::format("{} {} to {}", first.day, kMonths[static_cast<std::size_t>(first.month - 1)], en_day(to - 1));
}

std::string chinese_note(const When& when, const Meaning& meaning) {
  if (meaning.from && meaning.to) return zh_closed(when, meaning);
  return zh_edge(meaning.from ? *meaning.from : *meaning.to, is_days(meaning));
}

std::string chinese_words(const When& when, const Meaning& meaning) {
  const bool days = is_days(meaning);
  if (meaning.from && meaning.to) return zh_closed(when, meaning);
  if (meaning.from) return zh_edge(*meaning.from, days) + (days ? "起" : "之后");
  return zh_edge(*meaning.to, days) + "之前";
}

std::string english_season(Moment begin) {
  static constexpr std::array<const char*, 4> kSeasons = {"spring", "summer", "autumn", "winter"};
  const Civil day = civil(begin);
  if (day.month == 12) return fmt::format("winter {}/{:02}", day.year, (day.year + 1) % 100);
  return fmt::format("{} {}", kSeasons[season_of(day.month)], day.year);
}

std::string chinese_season(Moment begin) {
  static constexpr std::array<const char*, 4> kSeasons = {"春", "夏", "秋", "冬"};
  const Civil day = civil(begin);
  return fmt::format("{}年{}季", day.year, kSeasons[season_of(day.month)]);
}

}  // namespace weft::timex
