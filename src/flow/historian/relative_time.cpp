#include "flow/historian/relative_time.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "base/strings.h"
#include "text/latin_words.h"
#include "text/time/nearest.h"

namespace weft {
namespace {

// ---- Chinese ----

constexpr auto kChinese =
    std::to_array<std::string_view>({"今天", "昨天", "明天", "刚才", "刚刚", "稍后", "上周", "下周", "最近"});

// 上周三: the weekday behind.
bool weekday_at(std::string_view text, std::size_t at) {
  constexpr auto kDays = std::to_array<std::string_view>({"一", "二", "三", "四", "五", "六", "日", "天"});
  return std::any_of(kDays.begin(), kDays.end(), [&](auto day) { return starts_at(text, at, day); });
}

void find_chinese(std::string_view text, const std::vector<Span>& spans, std::vector<RelativeTime>& out) {
  SpanCursor cursor(spans);
  for (std::size_t at = 0; at < text.size();) {
    const auto listed =
        static_cast<unsigned char>(text[at]) < 0xE4
            ? kChinese.end()
            : std::find_if(
                  kChinese.begin(), kChinese.end(), [&](std::string_view word) { return starts_at(text, at, word); });
    if (listed == kChinese.end() || cursor.covers(at, at + listed->size())) {
      ++at;
      continue;
    }
    RelativeTime time{at, at + listed->size(), Language::kChinese};
    at = time.end;
    if (*listed == "最近" && timex::means_nearest(text.substr(0, time.begin), text.substr(time.end))) continue;
    if (*listed == "刚刚" && starts_at(text, time.end, "好")) continue;  // just right
    const bool week = *listed == "上周" || *listed == "下周";
    if (week && weekday_at(text, time.end)) time.end += 3;
    out.push_back(time);
  }
}

// ---- English ----

using Words = std::unordered_set<std::string_view>;

const Words& single_words() {
  static const Words words = {"today", "yesterday", "tomorrow", "tonight", "recently", "lately"};
  return words;
}

const Words& units() {
  static const Words words = {"week",    "month",     "year",     "night",  "weekend",  "monday",
                              "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
  return words;
}

// "later" as seen from now, not "two days later", "later than", "sooner or later".
bool is_bare_later(const LatinWords& words, std::size_t i) {
  static const std::unordered_set<std::string_view> kNot = {
      "days", "weeks",  "months", "years", "hours",   "minutes",  "day",    "week", "month", "year",    "hour",
      "or",   "moment", "a",      "the",   "seconds", "weekends", "nights", "no",   "much",  "decades", "while"};
  if (i > 0 && (kNot.contains(words[i - 1].lower) || words[i - 1].lower.front() <= '9')) return false;
  return i + 1 >= words.size() || (words[i + 1].lower != "than" && words[i + 1].lower != "stage");
}

std::string_view stem_of(std::string_view word) {
  return word.size() > 2 && word.substr(word.size() - 2) == "'s" ? word.substr(0, word.size() - 2) : word;
}

std::optional<RelativeTime> english_at(const LatinWords& words, std::size_t i, std::size_t& used) {
  const auto next = [&](std::size_t k) {
    return i + k < words.size() ? std::string_view(words[i + k].lower) : std::string_view();
  };
  const std::string_view word = stem_of(words[i].lower);
  used = 1;
  const auto make = [&](std::size_t last) {
    used = last + 1;
    const std::size_t end = words[i + last].begin + stem_of(words[i + last].lower).size();
    return RelativeTime{words[i].begin, end, Language::kEnglish};
  };
  if (single_words().contains(word)) return make(0);
  if (word == "just" && next(1) == "now") return make(1);
  if (word == "a" && next(1) == "moment" && next(2) == "ago") return make(2);
  if (word == "later" && is_bare_later(words, i)) return make(next(1) == "on" ? 1 : 0);
  if (word != "last" && word != "next") return std::nullopt;
  // "the last week of school" counts from something else.
  if (i > 0 && (words[i - 1].lower == "the" || words[i - 1].lower == "my" || words[i - 1].lower == "our"))
    return std::nullopt;
  const std::string_view unit = stem_of(next(1));
  if (!units().contains(unit) || next(2) == "of" || (unit == "night" && word == "next")) return std::nullopt;
  return make(1);
}

void find_english(std::string_view text, const std::vector<Span>& spans, std::vector<RelativeTime>& out) {
  const LatinWords words = read_latin_words(text, spans);
  for (std::size_t i = 0, used = 1; i < words.size(); i += used) {
    used = 1;
    if (!words[i].is_word || words[i].protected_by_span) continue;
    if (const auto time = english_at(words, i, used)) out.push_back(*time);
  }
}

}  // namespace

std::vector<RelativeTime> find_relative_times(std::string_view text, const std::vector<Span>& protected_by) {
  std::vector<RelativeTime> found;
  find_chinese(text, protected_by, found);
  find_english(text, protected_by, found);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return found;
}

}  // namespace weft
