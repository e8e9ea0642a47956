#include "text/time/unnoted.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "text/english_verbs.h"
#include "text/function_words.h"
#include "text/lexicon.h"
#include "text/time/unsaid_day.h"

namespace weft::timex {
namespace {

// "A few days ago", 几天前, 前一阵子: nobody knows when.
bool is_vague(const Expression& e) {
  static constexpr std::string_view kVague[] = {"some",   "these", "of late", "less", "more",   "within",
                                                "几",     "数",    "多",      "阵",   "段时间", "些",
                                                "这几天", "当日",  "当天",    "翌",   "次日",   "同"};
  if (e.words.has(kVague)) return true;
  // Within three days, but 本周内.
  static constexpr std::string_view kRunning[] = {"本", "这", "今", "年内", "月内", "周内"};
  return e.words.has("内") && (e.words.counts() || !e.words.has(kRunning));
}

// "My last day here" is no yesterday.
bool is_last_day(const Expression& e) { return e.words.is("last day") || e.words.is("the last day"); }

// "The last season" is one of a show or of a club.
bool is_of_show(const Expression& e) { return e.words.has("season") || e.words.has("seasons"); }

// "To dec decide": a word that was cut off and said anew.
bool is_cut_off(const Expression& e) {
  if (e.node.end - e.node.begin != 1 || e.node.end >= e.tokens.size()) return false;
  const Token& word = e.tokens[e.node.begin];
  const std::string& next = e.tokens[e.node.end].text;
  return word.kind == TokenKind::kLetters && !word.capital && next.size() > word.text.size() &&
         next.starts_with(word.text);
}

std::string behind(const Expression& e, std::size_t count) {
  std::string text;
  for (std::size_t i = e.node.end; i < e.tokens.size() && i < e.node.end + count; ++i) text += e.tokens[i].text;
  return text;
}

// 今天这个时代, "the phones on the market today": these days.
bool is_nowadays(const Expression& e) {
  static constexpr std::string_view kEras[] = {"时代", "社会", "世界", "年代", "年轻人", "互联网"};
  static constexpr std::string_view kWords[] = {"world", "society", "market",  "economy",
                                                "age",   "era",     "climate", "standards"};
  if (e.words.is("今天") || e.words.is("今日")) {
    const std::string next = behind(e, 6);
    std::string_view era(next);
    for (const std::string_view skip : {"的", "这个", "这样的", "这样一个", "这种"})
      if (era.starts_with(skip)) era.remove_prefix(skip.size());
    return era.size() < next.size() &&
           std::any_of(std::begin(kEras), std::end(kEras), [&](auto word) { return era.starts_with(word); });
  }
  if (e.tokens[e.node.end - 1].text == "todays")
    return e.node.end < e.tokens.size() && is_one_of(e.tokens[e.node.end].text, kWords);
  static constexpr std::string_view kLeads[] = {"the", "our", "modern", "this"};
  return e.words.is("today") && e.node.begin > 1 && is_one_of(e.tokens[e.node.begin - 1].text, kWords) &&
         is_one_of(e.tokens[e.node.begin - 2].text, kLeads);
}

constexpr std::string_view kWeekdays[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
                                          "sunday", "mon",     "tue",       "tues",     "wed",    "thu",
                                          "thur",   "thurs",   "fri",       "sat",      "sun"};

// How many tokens the name of a weekday has that stands at a token; none: 0.
std::size_t weekday_at(const std::vector<Token>& tokens, std::size_t at) {
  static constexpr std::string_view kDays[] = {"一", "二", "三", "四", "五", "六", "日", "天"};
  const auto text = [&](std::size_t i) { return i < tokens.size() ? std::string_view(tokens[i].text) : ""; };
  if (is_one_of(text(at), kWeekdays)) return 1;
  if (text(at) == "周" && is_one_of(text(at + 1), kDays)) return 2;
  const bool week = (text(at) == "星" && text(at + 1) == "期") || (text(at) == "礼" && text(at + 1) == "拜");
  return week && is_one_of(text(at + 2), kDays) ? 3 : 0;
}

std::size_t weekday_before(const std::vector<Token>& tokens, std::size_t at) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(at, 3); ++size)
    if (weekday_at(tokens, at - size) == size) return size;
  return 0;
}

// 周一闭馆, 周日我休息, "Sunday is laundry day": each week.
bool is_each_week(const Expression& e, const When& when) {
  if (when.deictic || when.dated || when.fields != kWeekdayField) return false;
  if (!e.words.chinese()) {
    static constexpr std::string_view kHours[] = {"open", "opens", "closed", "closes"};
    const bool will =
        e.node.begin > 2 && (e.tokens[e.node.begin - 2].text == "be" || e.tokens[e.node.begin - 3].text == "will");
    if (e.node.begin > 0 && is_one_of(e.tokens[e.node.begin - 1].text, kHours)) return !will;
    static const auto kDays = lexicon("en/plans", "days of a kind");
    std::string next;
    for (std::size_t i = e.node.end; i < e.tokens.size() && i < e.node.end + 6 && !ends_sentence(e.tokens, i); ++i)
      next += e.tokens[i].text + " ";
    return next.starts_with("is ") && std::any_of(kDays.begin(), kDays.end(), [&](auto day) {
             return next.find(std::string(day) + " ") != std::string::npos;
           });
  }
  static const auto kEachWeek = lexicon("zh/plans", "each week");
  const std::string next = behind(e, 8);
  std::string_view rest(next);
  for (std::size_t i = e.node.end; weekday_at(e.tokens, i) > 1; i += weekday_at(e.tokens, i))  // 周六周日休息
    for (std::size_t k = i; k < i + weekday_at(e.tokens, i); ++k)
      rest.remove_prefix(std::min(rest.size(), e.tokens[k].text.size()));
  for (const std::string_view who : {",", "我", "他", "她", "们", "店", "全天", "一律"})
    if (rest.starts_with(who)) rest.remove_prefix(who.size());
  return std::any_of(kEachWeek.begin(), kEachWeek.end(), [&](auto word) { return rest.starts_with(word); });
}

// "We usually meet on Monday", 春节我们一般回老家.
bool is_habit(const Expression& e, const When& when) {
  if (when.deictic || when.dated || when.is_stretch()) return false;
  const bool named = when.fields == kWeekdayField || when.fields == kMonthField || when.fields == kSeasonField ||
                     when.fields == kHolidayField;
  return named && tells_habit(e.tokens, e.node);
}

// "8/10", "3-7-07": nothing but numbers, and none of them a year.
bool is_bare_numbers(const Expression& e) {
  static constexpr std::string_view kPlaces[] = {"at", "in", "around", "about", "the"};
  std::size_t begin = e.node.begin;
  while (begin + 1 < e.node.end && is_one_of(e.tokens[begin].text, kPlaces)) ++begin;
  for (std::size_t i = begin; i < e.node.end; ++i) {
    const Token& token = e.tokens[i];
    if (token.kind == TokenKind::kLetters || token.kind == TokenKind::kHan || token.text == ":") return false;
    if (token.kind == TokenKind::kDigits && token.text.size() == 4) return false;
  }
  return true;
}

// "8/10" is as often eight of ten.
bool is_fraction(const Expression& e) {
  static constexpr std::string_view kLeads[] = {"on", "by", "since", "until", "from", "before", "after", "till"};
  // "Ten points in the 4th" is a quarter of a game.
  const bool ordinal = e.node.end - e.node.begin <= 3 && e.node.begin > 0 && e.tokens[e.node.begin - 1].text == "in" &&
                       e.tokens[e.node.begin].text == "the" && e.tokens[e.node.begin + 1].kind == TokenKind::kDigits;
  const bool quarter = e.tokens[e.node.end - 1].text == "quarter" && e.node.end - e.node.begin <= 5;
  if (ordinal || (e.words.begins("in the") && (e.node.end - e.node.begin <= 4 || quarter) && e.words.digits()))
    return true;
  const bool led = e.node.begin > 0 && is_one_of(e.tokens[e.node.begin - 1].text, kLeads);
  return is_bare_numbers(e) && !led;
}

// "Oct 26 15:50 2016": the year that follows was not read.
bool goes_on_with_year(const Expression& e) {
  if (e.node.end >= e.tokens.size()) return false;
  const Token& next = e.tokens[e.node.end];
  return next.kind == TokenKind::kDigits && next.text.size() == 4 && (next.text[0] == '1' || next.text[0] == '2') &&
         !e.words.chinese();
}

bool is_verb(const std::string& word) {
  return is_base_verb(word) || is_past_form(word) || is_auxiliary(word) || is_modal(word) ||
         (word.size() > 2 && word.back() == 's' && is_base_verb(std::string_view(word).substr(0, word.size() - 1)));
}

constexpr std::string_view kAdverbs[] = {
    "morning", "afternoon", "evening", "night",    "evenings",  "mornings", "nights", "afternoons",
    "instead", "maybe",     "please",  "though",   "too",       "already",  "early",  "late",
    "noon",    "midnight",  "sharp",   "latest",   "then",      "again",    "also",   "only",
    "next",    "last",      "onwards", "everyone", "everybody", "all",      "both",   "because"};

// "The Sunday mass", "on a Sunday afternoon", "the Christmas tree": of a kind, not a day of the calendar.
bool is_attributive(const Expression& e, const When& when) {
  static constexpr unsigned kNames = kWeekdayField | kHolidayField | kSeasonField;
  if (e.words.chinese() || when.deictic || when.dated || (when.fields & ~kNames) != 0 || e.words.digits()) return false;
  if (when.fields == 0 && !e.words.has("weekend")) return false;
  if (e.words.begins("a ") && named_unit(e.words)) return false;  // "a week before Christmas"
  static constexpr std::string_view kIndefinite[] = {"a", "an", "every", "each", "any", "some"};
  const std::string_view before = e.node.begin > 0 ? std::string_view(e.tokens[e.node.begin - 1].text) : "";
  if (is_one_of(before, kIndefinite) || e.words.begins("a ") || e.words.begins("on a ") || e.words.begins("an "))
    return true;
  if (e.node.end >= e.tokens.size()) return false;
  const Token& next = e.tokens[e.node.end];
  return next.kind == TokenKind::kLetters && !next.capital && !is_function_word(next.text) && !is_verb(next.text) &&
         !is_one_of(next.text, kAdverbs);
}

// "On the 5th floor": a number of something else than the days of the month.
bool numbers_a_noun(const Expression& e, const When& when) {
  static constexpr std::string_view kBehind[] = {
      "of",   "at",      "in",   "and",  "for",   "we",   "i",   "is", "was", "to",    "or",     "with", "but",  "if",
      "when", "because", "so",   "from", "until", "till", "as",  "by", "on",  "they",  "he",     "she",  "it",   "you",
      "will", "good",    "then", "are",  "were",  "my",   "the", "a",  "our", "after", "before", "too",  "works"};
  if (e.words.chinese() || when.fields != kDayField || e.node.end >= e.tokens.size()) return false;
  const Token& next = e.tokens[e.node.end];
  return next.kind == TokenKind::kLetters && !is_one_of(next.text, kBehind);
}

bool is_list_joint(const Token& token, bool& slash) {
  static constexpr std::string_view kJoints[] = {",", "/", "&", "and", "+", "和"};
  slash = slash || token.text == "/";
  return is_one_of(token.text, kJoints);
}

constexpr std::size_t kMostJoints = 2;  // ", and"

std::size_t days_listed_behind(const std::vector<Token>& tokens, std::size_t at, bool& slash) {
  for (std::size_t days = 0;; ++days) {
    std::size_t joints = 0;
    while (joints < kMostJoints && at < tokens.size() && is_list_joint(tokens[at], slash)) ++joints, ++at;
    const std::size_t day = weekday_at(tokens, at);
    if (joints == 0 || day == 0) return days;
    at += day;
  }
}

std::size_t days_listed_before(const std::vector<Token>& tokens, std::size_t at, bool& slash) {
  for (std::size_t days = 0;; ++days) {
    std::size_t joints = 0;
    while (joints < kMostJoints && at > 0 && is_list_joint(tokens[at - 1], slash)) ++joints, --at;
    const std::size_t day = weekday_before(tokens, at);
    if (joints == 0 || day == 0) return days;
    at -= day;
  }
}

// "Mon, Wed and Fri", "Tue/Thu", 周一、周三、周五: the expression is in a list of weekdays.
bool is_in_list(const Expression& e) {
  std::size_t begin = e.node.begin;
  while (begin < e.node.end && weekday_at(e.tokens, begin) == 0) ++begin;
  if (begin == e.node.end) return false;
  bool slash = false;
  const std::size_t others = days_listed_behind(e.tokens, begin + weekday_at(e.tokens, begin), slash) +
                             days_listed_before(e.tokens, begin, slash);
  return others > 1 || (others > 0 && slash);
}

// "Sat 10-2": hours to some, a date to others.
bool has_weekday_and_pair(const Expression& e) {
  bool day = false, pair = false;
  for (std::size_t i = e.node.begin; i < e.node.end; ++i) {
    day = day || weekday_at(e.tokens, i) > 0;
    pair = pair || (e.tokens[i].text == "-" && i > e.node.begin && i + 1 < e.node.end &&
                    e.tokens[i - 1].kind == TokenKind::kDigits && e.tokens[i + 1].kind == TokenKind::kDigits);
  }
  return day && pair;
}

// "Monday to Friday", "Sat 10-2" of a shop: opening hours and the like, also where the Monday went with the hours
// before it.
bool is_schedule(const Expression& e, const When& when) {
  if (when.deictic || when.dated) return false;
  if (has_weekday_and_pair(e)) return true;
  if (when.from && when.to && when.from->fields == kWeekdayField && when.to->fields == kWeekdayField) {
    static constexpr std::string_view kHours[] = {"open",  "opens",  "opened", "hours", "closed", "closes",
                                                  "shift", "shifts", "work",   "works", "working"};
    if (!when.from->has_time()) return true;
    for (std::size_t i = e.node.begin; i > 0 && e.node.begin - i < 8 && !ends_sentence(e.tokens, i - 1); --i)
      if (is_one_of(e.tokens[i - 1].text, kHours)) return true;
  }
  if ((when.fields == kWeekdayField || when.is_stretch()) && is_in_list(e)) return true;
  return when.to && when.to->fields == kWeekdayField && e.node.begin > 0 &&
         is_one_of(e.tokens[e.node.begin - 1].text, kWeekdays);
}

// Whether a phrase of a list stands at a token: "name day", 纪念日.
bool list_at(const std::vector<Token>& tokens, std::size_t at, std::span<const std::string_view> list) {
  std::string text;
  for (std::size_t i = at; i < tokens.size() && i < at + 6; ++i) {
    text += (i > at && tokens[i].kind == TokenKind::kLetters ? " " : "") + tokens[i].text;
    if (std::find(list.begin(), list.end(), text) != list.end()) return true;
  }
  return false;
}

// "My birthday is May 3", 我的生日是5月3日, "May 3 is our anniversary", "born on May 3": a day of every year.
bool is_each_year(const Expression& e, const When& when) {
  if (when.deictic || when.dated || (when.fields & ~(kMonthField | kDayField)) != 0 || (when.fields & kMonthField) == 0)
    return false;
  static const auto kDays = lexicon_both("plans", "days of each year");
  static const LexiconWords kBetween = lexicon_both_words("plans", "between such a day and its date");
  const auto is_between = [&](std::size_t i) {
    const std::string& text = e.tokens[i].text;
    return kBetween.contains(text) || text == ":" || text == "'" || text == "’";
  };
  std::size_t at = e.node.begin;
  while (at > 0 && e.node.begin - at < 6 && is_between(at - 1)) --at;
  for (std::size_t size = 1; size <= std::min<std::size_t>(at, 3); ++size) {
    std::string text;
    for (std::size_t i = at - size; i < at; ++i)
      text += (i > at - size && e.tokens[i].kind == TokenKind::kLetters ? " " : "") + e.tokens[i].text;
    if (std::find(kDays.begin(), kDays.end(), text) != kDays.end()) return true;
  }
  // 5月3日是我的生日, "May 3 is my birthday", but "May 3 is my birthday party".
  static const LexiconWords kOccasions = lexicon_both_words("plans", "occasions of such a day");
  constexpr std::size_t kFar = 6;
  const bool is = e.node.end < e.tokens.size() && is_between(e.node.end);
  for (std::size_t i = e.node.end; is && i < e.tokens.size() && i < e.node.end + kFar && !ends_sentence(e.tokens, i);
       ++i) {
    if (!list_at(e.tokens, i, kDays)) continue;
    for (std::size_t k = i; k < e.tokens.size() && k < i + 5 && !ends_sentence(e.tokens, k); ++k)
      if (kOccasions.contains(e.tokens[k].text)) return false;
    return true;
  }
  return false;
}

}  // namespace

bool is_regular(const Expression& e, const When& when) {
  if (when.deictic || when.dated || when.fields != kWeekdayField) return false;
  if (e.words.chinese()) {
    static const auto kDone = lexicon("zh/plans", "done each week");
    const std::string next = behind(e, 8);
    std::string_view rest(next);
    for (const std::string_view who : {",", "我", "他", "她", "们"})
      if (rest.starts_with(who)) rest.remove_prefix(who.size());
    return std::any_of(kDone.begin(), kDone.end(), [&](auto word) { return rest.starts_with(word); });
  }
  static const LexiconWords kDone = lexicon_words("en/plans", "done each week"),
                            kWho = {"i", "we", "he", "she", "they"};
  for (std::size_t i = e.node.begin; i > 0 && e.node.begin - i < 8 && !ends_sentence(e.tokens, i - 1); --i) {
    std::string verb = e.tokens[i - 1].text;
    if (!kDone.contains(verb) && verb.ends_with('s')) verb.pop_back();
    if (!kDone.contains(verb) || i < 2) continue;
    return kWho.contains(e.tokens[i - 2].text) &&
           (i < 3 || (!is_auxiliary(e.tokens[i - 3].text) && e.tokens[i - 3].text != "if"));
  }
  return false;
}

bool is_unnoted(const Expression& e, const When& when) {
  if (is_last_day(e) || is_of_show(e) || is_cut_off(e) || is_nowadays(e) || is_each_week(e, when)) return true;
  return is_attributive(e, when) || is_vague(e) || is_schedule(e, when) || is_fraction(e) || numbers_a_noun(e, when) ||
         goes_on_with_year(e) || is_habit(e, when) || is_each_year(e, when);
}

}  // namespace weft::timex
