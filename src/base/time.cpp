#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <optional>

#include "base/clock.h"
#include "base/strings.h"
#include "weft/time.h"

namespace weft {
namespace {

constexpr std::int64_t kMsPerMinute = 60'000;
constexpr std::int64_t kMsPerDay = 86'400'000;

// Reads the fields of a fixed form; every function says whether its field was there.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool digits(int count, int& out) {
    if (text_.size() < static_cast<std::size_t>(count)) return false;
    out = 0;
    for (int i = 0; i < count; ++i) {
      const char c = text_[static_cast<std::size_t>(i)];
      if (c < '0' || c > '9') return false;
      out = out * 10 + (c - '0');
    }
    text_.remove_prefix(static_cast<std::size_t>(count));
    return true;
  }
  bool any_of(std::string_view allowed) {
    if (text_.empty() || allowed.find(text_.front()) == std::string_view::npos) return false;
    last_ = text_.front();
    text_.remove_prefix(1);
    return true;
  }
  // Digits behind a decimal point as milliseconds; what is finer is cut off.
  bool fraction(int& ms) {
    int scale = 100;
    bool any = false;
    ms = 0;
    while (!text_.empty() && is_digit(text_.front())) {
      ms += (text_.front() - '0') * scale;
      scale /= 10;
      any = true;
      text_.remove_prefix(1);
    }
    return any;
  }
  char last() const { return last_; }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
  char last_ = 0;
};

Error bad_time(std::string_view text, std::string_view why) {
  return invalid_argument(fmt::format("\"{}\" is not a time: {}", text.substr(0, 64), why),
                          "write RFC 3339, such as 2026-03-01T09:30:00+08:00 or 2026-03-01T01:30:00Z");
}

std::optional<std::int64_t> days_since_epoch(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count();
}

// The offset of the zone in minutes: "Z", "+08:00" or "-05:30".
bool read_zone(Reader& in, int& offset) {
  offset = 0;
  if (in.any_of("Zz")) return true;
  if (!in.any_of("+-")) return false;
  const int sign = in.last() == '-' ? -1 : 1;
  int hours = 0, minutes = 0;
  if (!in.digits(2, hours) || !in.any_of(":") || !in.digits(2, minutes) || hours > 23 || minutes > 59) return false;
  offset = sign * (hours * 60 + minutes);
  return true;
}

struct Calendar {
  std::int64_t year;
  unsigned month, day;
  std::int64_t ms_of_day;
};

Calendar to_calendar(Time time) {
  std::int64_t days = time.ms / kMsPerDay;
  std::int64_t rest = time.ms % kMsPerDay + time.offset_minutes * kMsPerMinute;
  while (rest < 0) rest += kMsPerDay, --days;
  while (rest >= kMsPerDay) rest -= kMsPerDay, ++days;
  const CivilDay date = civil_of_day(days);
  Calendar c{};
  c.year = date.year;
  c.month = static_cast<unsigned>(date.month);
  c.day = static_cast<unsigned>(date.day);
  c.ms_of_day = rest;
  return c;
}

}  // namespace

Result<Time> parse_time(std::string_view text) {
  Reader in(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0, offset = 0;
  if (!in.digits(4, year) || !in.any_of("-") || !in.digits(2, month) || !in.any_of("-") || !in.digits(2, day)) {
    return bad_time(text, "it does not begin with a date");
  }
  const auto days = days_since_epoch(year, month, day);
  if (!days) return bad_time(text, "there is no such day");
  if (in.at_end()) return Time{*days * kMsPerDay, 0};

  if (!in.any_of("Tt ") || !in.digits(2, hour) || !in.any_of(":") || !in.digits(2, minute) || !in.any_of(":") ||
      !in.digits(2, second)) {
    return bad_time(text, "hours, minutes and seconds are wanted behind the date");
  }
  // A leap second (:60) is taken as the first moment of the next minute.
  if (hour > 23 || minute > 59 || second > 60) return bad_time(text, "there is no such hour, minute or second");
  if (in.any_of(".,") && !in.fraction(ms)) return bad_time(text, "digits are wanted behind the decimal point");
  if (in.at_end()) return bad_time(text, "the zone is missing");
  if (!read_zone(in, offset) || !in.at_end()) return bad_time(text, "the zone is wanted as Z or as +hh:mm at the end");

  const std::int64_t local = ((hour * 60 + minute) * 60 + second) * std::int64_t{1000} + ms;
  return Time{*days * kMsPerDay + local - offset * kMsPerMinute, offset};
}

std::string format_time(Time time) {
  const Calendar c = to_calendar(time);
  const std::int64_t seconds = c.ms_of_day / 1000;
  std::string out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", c.year, c.month, c.day, seconds / 3600,
                                seconds / 60 % 60, seconds % 60);
  if (const auto ms = c.ms_of_day % 1000; ms != 0) out += fmt::format(".{:03}", ms);
  if (time.offset_minutes == 0) return out + "Z";
  const std::int32_t distance = time.offset_minutes < 0 ? -time.offset_minutes : time.offset_minutes;
  return out + fmt::format("{}{:02}:{:02}", time.offset_minutes < 0 ? '-' : '+', distance / 60, distance % 60);
}

std::string format_date(Time time) {
  const Calendar c = to_calendar(time);
  return fmt::format("{:04}-{:02}-{:02}", c.year, c.month, c.day);
}

Time SystemClock::now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm local{};
  // Without a zone the moment is still right; only the day shown could differ.
  if (localtime_r(&seconds, &local) == nullptr) return Time{ms, 0};
  return Time{ms, static_cast<std::int32_t>(local.tm_gmtoff / 60)};
}

}  // namespace weft
