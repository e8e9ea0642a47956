#include "text/time/names.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "text/given_names.h"

namespace weft::timex {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// Behind these a month or a weekday is one.
constexpr std::string_view kBeforeTimes[] = {
    "in",       "on",   "by",      "until",     "till",   "since", "last",   "next",   "this",
    "early",    "late", "mid",     "of",        "from",   "to",    "before", "after",  "during",
    "every",    "each", "through", "between",   "and",    "or",    "the",    "coming", "past",
    "previous", "for",  "end",     "beginning", "around", "about", "than",   "late",   "following"};
constexpr std::string_view kTimeWords[] = {
    "monday",   "tuesday", "wednesday", "thursday", "friday",   "saturday",  "sunday",    "mon",         "tue",
    "tues",     "wed",     "thu",       "thurs",    "fri",      "sat",       "sun",       "january",     "february",
    "march",    "april",   "may",       "june",     "july",     "august",    "september", "october",     "november",
    "december", "jan",     "feb",       "mar",      "apr",      "jun",       "jul",       "aug",         "sep",
    "sept",     "oct",     "nov",       "dec",      "morning",  "afternoon", "evening",   "night",       "day",
    "eve",      "am",      "pm",        "noon",     "midnight", "i",         "im",        "ill",         "ive",
    "id",       "est",     "gmt",       "utc",      "pst",      "cet",       "week",      "weekend",     "spring",
    "summer",   "autumn",  "fall",      "winter",   "new",      "christmas", "easter",    "thanksgiving"};

// Behind these even a capital on the other side does not make a name of it: "on Friday Anna comes".
constexpr std::string_view kFirmly[] = {"in",   "on",     "by",    "until",  "till",  "since", "last",  "next",
                                        "this", "before", "after", "during", "every", "each",  "coming"};

bool is_capital_word(const std::vector<Token>& tokens, std::size_t at) {
  return at < tokens.size() && tokens[at].kind == TokenKind::kLetters && tokens[at].capital;
}

bool begins_sentence(const std::vector<Token>& tokens, std::size_t at) {
  static constexpr std::string_view kEnds[] = {".", "!", "?", ";", ":", "。", "！", "？", "-", "\"", "(", "*"};
  return at == 0 || is_one_of(tokens[at - 1].text, kEnds);
}

// "mid-April" is a time, "april-report" and "post-June" may be anything.
bool is_hyphenated(const std::vector<Token>& tokens, const Node& node) {
  static constexpr std::string_view kPrefixes[] = {"mid", "late", "early", "pre", "non"};
  const auto letters = [&](std::size_t at) { return at < tokens.size() && tokens[at].kind == TokenKind::kLetters; };
  if (letters(node.end - 1) && node.end + 1 < tokens.size() && tokens[node.end].text == "-" && tokens[node.end].glued &&
      letters(node.end + 1) && tokens[node.end + 1].glued && !is_one_of(tokens[node.end + 1].text, kTimeWords))
    return true;
  return letters(node.begin) && tokens[node.begin].glued && node.begin > 1 && tokens[node.begin - 1].text == "-" &&
         tokens[node.begin - 1].glued && letters(node.begin - 2) &&
         !is_one_of(tokens[node.begin - 2].text, kPrefixes) && !is_one_of(tokens[node.begin - 2].text, kTimeWords);
}

bool is_month_name(std::string_view word) {
  static constexpr std::string_view kMonths[] = {"april", "may", "june", "august", "summer", "autumn", "jan", "mar"};
  return is_one_of(word, kMonths);
}

// "The Day After Tomorrow": small words with a capital, though no sentence begins there.
bool is_title(const std::vector<Token>& tokens, const Node& node) {
  static constexpr std::string_view kSmall[] = {"after", "before",   "day",       "the",   "of",      "next",
                                                "last",  "this",     "in",        "ago",   "week",    "month",
                                                "year",  "tomorrow", "yesterday", "today", "tonight", "now"};
  std::size_t small = 0;
  for (std::size_t i = node.begin; i < node.end; ++i)
    small += tokens[i].capital && is_one_of(tokens[i].text, kSmall) && !begins_sentence(tokens, i) ? 1 : 0;
  return small > 1;
}

// A capital word on either side makes a name of a bare one: June Carter, Ruby Tuesday. A known person behind a
// preposition does not: "on Friday Anna comes".
bool is_english_name(const std::vector<Token>& tokens, const Node& node) {
  const Token& first = tokens[node.begin];
  const Token& last = tokens[node.end - 1];
  if (first.kind != TokenKind::kLetters && last.kind != TokenKind::kLetters) return false;
  const bool led = node.begin > 0 && is_one_of(tokens[node.begin - 1].text, kBeforeTimes);
  const bool firmly =
      (node.begin > 0 && is_one_of(tokens[node.begin - 1].text, kFirmly)) || is_one_of(first.text, kFirmly);
  const bool opens = begins_sentence(tokens, node.begin);
  // "Friday Night Lights": a part of the day with a capital belongs to a title.
  std::size_t capitals = 0, behind = node.end;
  for (std::size_t i = node.begin; i < node.end; ++i) capitals += is_capital_word(tokens, i) ? 1 : 0;
  for (; is_capital_word(tokens, behind) && is_one_of(tokens[behind].text, kTimeWords); ++behind) ++capitals;
  const bool capital_behind = is_capital_word(tokens, behind) && !is_one_of(tokens[behind].text, kBeforeTimes);
  if (capital_behind && last.capital && (capitals > 1 || !firmly)) return true;
  if (is_title(tokens, node)) return true;
  if (node.end - node.begin != 1 || !first.capital || led) return false;
  NameGender gender = NameGender::kUnknown;
  if (node.begin > 0 && is_capital_word(tokens, node.begin - 1) &&
      !is_one_of(tokens[node.begin - 1].text, kTimeWords) &&
      (!begins_sentence(tokens, node.begin - 1) || is_first_name(tokens[node.begin - 1].text, gender)))
    return true;
  // "June said", "August, come here": alone, such a word is as often somebody.
  const bool number_behind = node.end < tokens.size() && tokens[node.end].kind == TokenKind::kDigits;
  return is_month_name(first.text) && !number_behind && (opens || !led);
}

// ---- Chinese ----

std::string before_of(const std::vector<Token>& tokens, std::size_t at, int count) {
  std::string text;
  while (at > 0 && count-- > 0 && tokens[at - 1].kind == TokenKind::kHan) text = tokens[--at].text + text;
  return text;
}

std::string behind(const std::vector<Token>& tokens, std::size_t at, int count) {
  std::string text;
  for (; at < tokens.size() && count-- > 0 && tokens[at].kind == TokenKind::kHan; ++at) text += tokens[at].text;
  return text;
}

// Papers, programmes, films, firms and greetings that begin with a word of time, as known to everybody.
bool begins_known_name(const std::string& from) {
  static constexpr std::string_view kNames[] = {
      "今日头条",   "今日说法", "今日关注", "今日美国", "今日俄罗斯", "今日中国", "今日美术馆", "今日资本",
      "明日方舟",   "明日之后", "明日之子", "明日边缘", "明天会更好", "昨日重现", "昨日世界",   "昨日青空",
      "七月与安生", "八月未央", "五月天",   "七月流火", "九月天",     "六月飞雪", "三月三",     "春天里",
      "秋天的怀念", "周杰",     "周一围",   "周六福",   "周三石",     "早上好",   "上午好",     "中午好",
      "下午好",     "晚上好",   "新年好",   "新年快乐", "元旦快乐",   "春节快乐", "中秋快乐",   "国庆快乐",
      "圣诞快乐",   "生日快乐", "今晚报",   "周末愉快", "周末快乐",   "早上坏",   "明天系",     "今天国际",
      "后天性",     "明天过后"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return from.rfind(name, 0) == 0; });
}

// 李明天, 王五月: a surname that is no part of another word stands right before. 小李明天 and 行李明天 are time.
bool has_surname_before(const std::vector<Token>& tokens, const Node& node) {
  if (node.begin == 0 || tokens[node.begin].kind != TokenKind::kHan) return false;
  const std::string& surname = tokens[node.begin - 1].text;
  if (tokens[node.begin - 1].kind != TokenKind::kHan || !is_chinese_surname(surname)) return false;
  const std::string two = before_of(tokens, node.begin - 1, 1);
  if (two.empty()) return true;
  static constexpr std::string_view kBeforeNames[] = {"叫", "和", "跟", "与", "是", "找", "问", "给",
                                                      "对", "请", "让", "的", "说", "被", "把", "同",
                                                      "见", "约", "由", "向", "名", "，", "为"};
  return is_one_of(two, kBeforeNames);
}

bool is_chinese_name(const std::vector<Token>& tokens, const Node& node) {
  if (tokens[node.begin].kind != TokenKind::kHan) return false;
  return begins_known_name(behind(tokens, node.begin, 5)) || has_surname_before(tokens, node);
}

}  // namespace

bool is_name(const std::vector<Token>& tokens, const Node& node) {
  return is_hyphenated(tokens, node) || is_english_name(tokens, node) || is_chinese_name(tokens, node);
}

}  // namespace weft::timex
