#include "text/time/unnoted.h"

#include <string>
#include <string_view>

#include "text/english_verbs.h"
#include "text/function_words.h"

namespace weft::timex {
namespace {

// "A few days ago", 几天前, 前一阵子: nobody knows when.
bool is_vague(const Expression& e) {
  static constexpr std::string_view kVague[] = {
      "few", "several", "couple", "some", "these", "of late", "less", "more", "within", "几",   "数",
      "多",  "阵",      "段时间", "些",   "内",    "这几天",  "当日", "当天", "翌",     "次日", "同"};
  return e.words.has(kVague);
}

// "8/10", "3-7-07": nothing but numbers, and none of them a year.
bool is_bare_numbers(const Expression& e) {
  for (std::size_t i = e.node.begin; i < e.node.end; ++i) {
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
  if (ordinal || (e.words.begins("in the") && e.node.end - e.node.begin <= 4 && e.words.digits())) return true;
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

// "Monday to Friday": opening hours and the like.
bool is_schedule(const When& when) {
  return when.from && when.to && when.from->fields == kWeekdayField && when.to->fields == kWeekdayField;
}

}  // namespace

bool is_unnoted(const Expression& e, const When& when) {
  return is_attributive(e, when) || is_vague(e) || is_schedule(when) || is_fraction(e) || numbers_a_noun(e, when) ||
         goes_on_with_year(e);
}

}  // namespace weft::timex
