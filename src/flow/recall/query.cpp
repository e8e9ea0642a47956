#include "flow/recall/query.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/strings.h"
#include "ports/index/scope_index.h"
#include "text/cues.h"
#include "text/lexicon.h"
#include "text/time_expressions.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kHanBytes = 3;

/// Letters and digits of Latin script and everything beyond ASCII that is not written without spaces.
bool joins_words(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const char c = text[at];
  return (is_letter(c) || is_digit(c) || c == '_');
}

/// A name that is worth looking for: roles and single letters are not names of people.
bool is_name(std::string_view name) {
  constexpr std::string_view kRoles[] = {"user", "assistant", "system", "tool"};
  if (name.size() < 2) return false;
  const std::string folded = lowered(name);
  return std::find(std::begin(kRoles), std::end(kRoles), folded) == std::end(kRoles);
}

/// Where the name stands as a word of its own from `at` on; letters of ASCII in either case.
std::size_t find_name(std::string_view text, std::string_view name, std::size_t at) {
  while (at + name.size() <= text.size()) {
    const auto same = [](char a, char b) { return to_lower(a) == to_lower(b); };
    const auto found =
        std::search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), name.begin(), name.end(), same);
    if (found == text.end()) return std::string_view::npos;
    const auto begin = static_cast<std::size_t>(found - text.begin()), end = begin + name.size();
    const bool inside_word = (joins_words(name, 0) && begin > 0 && joins_words(text, begin - 1)) ||
                             (joins_words(name, name.size() - 1) && joins_words(text, end));
    if (!inside_word) return begin;
    at = begin + 1;
  }
  return std::string_view::npos;
}

/// Whether `text` names somebody: by a name that is a word as well, "Will", "May", only where it is written as a name.
bool names(std::string_view text, std::string_view name) {
  static const LexiconWords kWords = lexicon_words("en/people", "names that are words");
  const std::string folded = lowered(name);
  for (std::size_t at = find_name(text, name, 0); at != std::string_view::npos; at = find_name(text, name, at + 1))
    if (!kWords.contains(folded) || text.substr(at, name.size()) == name) return true;
  return false;
}

}  // namespace

QueryText read_query(const RecallQuery& query) {
  QueryText read;
  std::map<Term, float> counts;
  for (const std::string& word : index_words(query.text)) {
    const Term term = term_of(word);
    if ((counts[term] += 1) > 1) continue;
    const bool chinese = word.size() >= kHanBytes && static_cast<unsigned char>(word.front()) >= 0xE3;
    read.words.push_back({term, chinese, chinese && word.size() == kHanBytes});
  }
  for (const auto& [term, count] : counts) read.terms.push_back({term, count});
  DaysAsked asked = days_asked(query.text, query.now);
  read.days = std::move(asked.named);
  read.ranges = std::move(asked.relative);
  read.chinese = language_of(query.text) == Language::kChinese;
  read.bare = index_words(query.text + " 0").size() <= 1;  // beside another word those that do not count go
  read.several = trimmed(query.text).find('\n') != std::string_view::npos;
  read.personal = speaks_of_who_asks(query.text);
  return read;
}

std::vector<std::uint16_t> named_speakers(const RecallQuery& query, std::span<const std::string> speakers) {
  std::vector<std::uint16_t> named;
  for (std::size_t i = 1; i < speakers.size(); ++i)
    if (is_name(speakers[i]) && names(query.text, speakers[i])) named.push_back(static_cast<std::uint16_t>(i));
  return named;
}

std::string text_to_embed(std::string_view text, std::span<const std::string> speakers) {
  std::string left(text);
  for (const std::string& name : speakers) {
    if (!is_name(name)) continue;
    for (std::size_t at = find_name(left, name, 0); at != std::string::npos; at = find_name(left, name, at)) {
      std::size_t length = name.size();
      for (const std::string_view possessive : {"'s", "\u2019s"})
        if (std::string_view(left).substr(at + length).starts_with(possessive)) length += possessive.size();
      if (at > 0 && left[at - 1] == ' ' && at + length < left.size() && left[at + length] == ' ') ++length;
      left.erase(at, length);
    }
  }
  // "Who is Anna?" without Anna asks nothing. Function words are dropped only beside another word, so one is put there.
  constexpr std::size_t kFewestWords = 2;
  return left.size() != text.size() && index_words(left + " 0").size() - 1 < kFewestWords ? std::string(text) : left;
}

namespace {

// A text is read as if it were said at either moment: "in May" means the same days of the year at both and names them,
// "yesterday" does not.
constexpr Time kOnce{961'070'400'000, 0};  // 2000-06-15T12:00Z
constexpr Time kAgain{1'100'952'000'000, 0};  // 2004-11-20T12:00Z

struct Stretch {
  CivilDay from, to;  // both inclusive
};

CivilDay civil(std::int64_t ms) { return civil_of_day(day_of(Time{ms, 0})); }

/// Nothing for an end that is open, and for what is no stretch of days.
std::optional<Stretch> stretch_of(const TimeExpression& one) {
  if (one.kind == TimeKind::kTime || one.kind == TimeKind::kDuration || one.kind == TimeKind::kSet) return std::nullopt;
  if (!one.from_ms || !one.to_ms) return std::nullopt;
  return Stretch{civil(*one.from_ms), civil(std::max(*one.from_ms, *one.to_ms - 1))};
}

/// "since March 2021", "until May 5", 2021年以来: what is named there, without the words that leave an end open.
std::optional<Stretch> named_in(std::string_view words, Time spoken) {
  const auto blank = words.find(' ');
  const std::string rest(blank == std::string_view::npos ? words : words.substr(blank + 1));
  for (const std::string& closed : {"in " + rest, "on " + rest, rest})
    for (const TimeExpression& one : find_time_expressions(closed, spoken))
      if (const auto stretch = stretch_of(one)) return stretch;
  for (const std::string_view unit : {"日", "号", "月", "年"})
    if (const auto at = words.rfind(unit); at != std::string_view::npos && at + unit.size() < words.size())
      return named_in(words.substr(0, at + unit.size()), spoken);
  return std::nullopt;
}

std::optional<Stretch> days_of(std::string_view text, const TimeExpression& one, Time spoken) {
  const bool open = one.from_ms.has_value() != one.to_ms.has_value();
  return open ? named_in(text.substr(one.begin, one.end - one.begin), spoken) : stretch_of(one);
}

/// The days of a month that "early" or "the end of" it mean, in a talk from memory.
std::optional<std::pair<int, int>> part_of_month(std::string_view words) {
  struct Part {
    std::string_view word;
    int from, to;
  };
  static constexpr Part kParts[] = {{"early ", 1, 10}, {"beginning ", 1, 10}, {"start ", 1, 10}, {"mid", 10, 20},
                                    {"late ", 21, 31}, {"end ", 21, 31},      {"上旬", 1, 10},   {"初", 1, 10},
                                    {"中旬", 11, 20},  {"下旬", 21, 31},      {"底", 21, 31},    {"末", 21, 31}};
  const std::string low = lowered(words);
  for (const Part& part : kParts)
    if (low.find(part.word) != std::string::npos) return std::pair(part.from, part.to);
  return std::nullopt;
}

struct Found {
  std::size_t begin = 0;
  NamedDays days;
};

bool same_days(const Stretch& a, const Stretch& b) {
  return a.from.month == b.from.month && a.from.day == b.from.day && a.to.month == b.to.month && a.to.day == b.to.day;
}

/// A number of one or two digits.
bool holds_day(std::string_view words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::size_t end = at;
    while (end < words.size() && is_digit(words[end])) ++end;
    if (end > at && end - at <= 2) return true;
    at = end;
  }
  return false;
}

bool holds_number(std::string_view words) {
  constexpr std::array<std::string_view, 10> kNumbers{"一", "二", "三", "四", "五", "六", "七", "八", "九", "十"};
  return std::any_of(words.begin(), words.end(), is_digit<char>) ||
         std::any_of(kNumbers.begin(), kNumbers.end(),
                     [words](std::string_view number) { return words.find(number) != std::string_view::npos; });
}

/// Whether the last day is the last of its month.
bool ends_month(const Stretch& stretch) { return civil_of_day(day_of_civil(stretch.to) + 1).day == 1; }

/// The days that an expression names, whose other reading is given; nothing where it means others whenever it is said.
/// Feasts and seasons are none without a year: the moment of asking tells which one is meant.
std::optional<NamedDays> named_by(std::string_view words, bool relative, Stretch once,
                                  const std::optional<Stretch>& again) {
  std::optional<int> year = static_cast<int>(once.to.year);
  const auto part = once.from == once.to ? std::nullopt : part_of_month(words);
  const bool one_month = once.from.month == once.to.month;
  if (relative) {
    if (!again || !same_days(once, *again)) return std::nullopt;
    // The year of the last day is that of the first: "between August 11 and August 15 2023".
    once.from.year = once.to.year;
    if (again->to.year != once.to.year) year.reset();
    // A quarter without a year is no time of telling, a feast only with its moment.
    const bool named = !one_month ? holds_day(words) : once.from != once.to || holds_number(words);
    if (!year && !named) return std::nullopt;
  }
  if (once.from.year != once.to.year || day_of_civil(once.from) > day_of_civil(once.to)) return std::nullopt;
  NamedDays days{year, once.from.month, once.from.day, once.to.month, once.to.day};
  if (once.from != once.to && ends_month(once)) days.to_day = 31;
  if (!one_month || once.from == once.to) return days;
  // Without the number of a day it is told from memory, "the first half of September": the month counts.
  if (part)
    std::tie(days.from_day, days.to_day) = *part;
  else if (!holds_day(words))
    std::tie(days.from_day, days.to_day) = std::pair(1, 31);
  return days;
}

std::vector<Found> find_named(std::string_view text, const std::vector<TimeExpression>& at_once,
                              const std::vector<TimeExpression>& again) {
  std::vector<Found> found;
  for (const TimeExpression& one : at_once) {
    const auto stretch = days_of(text, one, kOnce);
    if (!stretch) continue;
    const auto other =
        std::find_if(again.begin(), again.end(), [&](const TimeExpression& two) { return two.begin == one.begin; });
    const auto twice = other == again.end() ? std::nullopt : days_of(text, *other, kAgain);
    const auto days = named_by(text.substr(one.begin, one.end - one.begin), one.relative, *stretch, twice);
    if (days) found.push_back({one.begin, *days});
  }
  return found;
}

/// Days on both sides that "so long ago" may mean as well.
std::int32_t margin_of(std::string_view words) {
  constexpr std::pair<std::string_view, std::int32_t> kUnits[] = {
      {"year", 180}, {"年", 180}, {"month", 15}, {"月", 15}, {"week", 3},
      {"周", 3},     {"星期", 3}, {"礼拜", 3},   {"day", 1}, {"天", 1}};
  constexpr std::string_view kDayBefore = "前天";
  const bool ago = words.find("ago") != std::string_view::npos ||
                   (words.ends_with("前") || words.ends_with("以前") || words.ends_with("之前"));
  if (!ago || words == kDayBefore) return 0;
  for (const auto& [unit, margin] : kUnits)
    if (words.find(unit) != std::string_view::npos) return margin;
  return 0;
}

// What is told in a coarse unit is meant coarsely: "three months ago" is not a day.
std::vector<DayRange> find_relative(std::string_view text, Time now, const std::vector<TimeExpression>& times,
                                    const std::vector<Found>& named) {
  const std::int32_t today = day_of(now);
  const auto day_at = [&now](std::int64_t ms) { return day_of(Time{ms, now.offset_minutes}); };
  std::vector<DayRange> found;
  for (const TimeExpression& one : times) {
    if (!one.relative || !one.from_ms || *one.from_ms == now.ms || one.kind == TimeKind::kTime) continue;
    if (std::any_of(named.begin(), named.end(), [&](const Found& other) { return other.begin == one.begin; })) continue;
    const std::int32_t margin = margin_of(normalize(text.substr(one.begin, one.end - one.begin)));
    const DayRange range{day_at(*one.from_ms) - margin, one.to_ms ? day_at(*one.to_ms - 1) + margin : today};
    if (range.from <= today && range.from <= range.to) found.push_back(range);
  }
  return found;
}

}  // namespace

DaysAsked days_asked(std::string_view text, std::optional<Time> now) {
  std::vector<Time> moments{kOnce, kAgain};
  if (now) moments.push_back(*now);
  const auto times = find_times_at_each(text, moments);
  const std::vector<Found> named = find_named(text, times[0], times[1]);
  DaysAsked asked;
  for (const Found& one : named) asked.named.push_back(one.days);
  if (now) asked.relative = find_relative(text, *now, times[2], named);
  return asked;
}

std::vector<DayRange> day_ranges(const NamedDays& named, std::int32_t first, std::int32_t last) {
  std::vector<DayRange> ranges;
  if (first > last) return ranges;
  const int from = named.year ? *named.year : year_of_day(first), to = named.year ? *named.year : year_of_day(last);
  for (int year = from; year <= to; ++year) {
    const std::int32_t month_end =
        (named.to_month == 12 ? day_number(year + 1, 1, 1) : day_number(year, named.to_month + 1, 1)) - 1;
    const DayRange range{day_number(year, named.from_month, named.from_day),
                         std::min(day_number(year, named.to_month, named.to_day), month_end)};
    if (range.to >= first && range.from <= last) ranges.push_back(range);
  }
  return ranges;
}

std::int32_t day_number(int year, int month, int day) {
  return static_cast<std::int32_t>(day_of_civil({year, month, day}));
}

int year_of_day(std::int32_t day) { return static_cast<int>(civil_of_day(day).year); }

namespace {

constexpr std::size_t kMost = 8;
constexpr std::int64_t kMinute = 60'000;

}  // namespace

std::shared_ptr<const QueryText> QuestionReadings::read(const RecallQuery& query) {
  const XXH128_hash_t hash = XXH3_128bits(query.text.data(), query.text.size());
  Read wanted{hash.low64, hash.high64, query.now ? query.now->ms / kMinute : -1,
              query.now ? query.now->offset_minutes : 0, nullptr};
  {
    auto newest = newest_.lock();
    const auto known = std::find_if(newest->begin(), newest->end(), [&](const Read& one) {
      return one.minute == wanted.minute && one.offset_minutes == wanted.offset_minutes && one.low == wanted.low &&
             one.high == wanted.high;
    });
    if (known != newest->end()) return known->as;
  }
  wanted.as = std::make_shared<const QueryText>(read_query(query));
  const auto as = wanted.as;
  auto newest = newest_.lock();
  newest->push_front(std::move(wanted));
  if (newest->size() > kMost) newest->pop_back();
  return as;
}

void QuestionReadings::clear() { newest_.lock()->clear(); }

}  // namespace weft
