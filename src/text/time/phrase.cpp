#include "text/time/phrase.h"

namespace weft::timex {

Phrase::Phrase(const std::vector<Token>& tokens, const Node& node) : text_(" ") {
  for (std::size_t i = node.begin; i < node.end; ++i) {
    chinese_ = chinese_ || tokens[i].kind == TokenKind::kHan;
    digits_ = digits_ || tokens[i].kind == TokenKind::kDigits;
    text_ += tokens[i].text;
    if (tokens[i].kind != TokenKind::kHan) text_ += ' ';
  }
}

bool Phrase::has(std::string_view word) const {
  const bool letters = static_cast<unsigned char>(word.front()) < 0x80;
  return text_.find(letters ? " " + std::string(word) + " " : std::string(word)) != std::string::npos;
}

bool Phrase::is(std::string_view words) const {
  const std::string_view text(text_);
  return text.substr(1, text.size() - (text.size() > 1 && text.back() == ' ' ? 2 : 1)) == words;
}

bool Phrase::has_chinese_week() const {
  static constexpr std::string_view kDays[] = {"一", "二", "三", "四", "五", "六", "日", "天", "末"};
  for (const std::string_view week : {"周", "星期", "礼拜"})
    for (std::size_t at = text_.find(week); at != std::string::npos; at = text_.find(week, at + 1))
      if (!is_one_of(std::string_view(text_).substr(std::min(text_.size(), at + week.size()), 3), kDays)) return true;
  return false;
}

bool Phrase::counts() const {
  static constexpr std::string_view kNumbers[] = {"two",   "three", "four",    "five",   "six",     "seven",   "eight",
                                                  "nine",  "ten",   "eleven",  "twelve", "fifteen", "twenty",  "thirty",
                                                  "forty", "fifty", "hundred", "few",    "couple",  "several", "二",
                                                  "两",    "三",    "四",      "五",     "六",      "七",      "八",
                                                  "九",    "十",    "几",      "半",     "数",      "多"};
  return digits_ || has(kNumbers);
}

std::optional<Grain> named_unit(const Phrase& words) {
  static constexpr std::string_view kShort[] = {"second", "seconds", "sec",  "secs",  "minute", "minutes",
                                                "min",    "mins",    "hour", "hours", "hr",     "hrs",
                                                "秒",     "分",      "时",   "钟头",  "刻钟"};
  static constexpr std::string_view kDays[] = {"day", "days", "fortnight", "fortnights", "天", "日"};
  static constexpr std::string_view kWeeks[] = {"week", "weeks", "wk", "wks"};
  static constexpr std::string_view kMonths[] = {"month", "months", "quarter", "quarters", "月", "季"};
  static constexpr std::string_view kYears[] = {"year", "years", "yr", "yrs", "decade", "decades", "年"};
  if (words.has(kShort)) return Grain::kHour;
  if (words.has(kDays)) return Grain::kDay;
  if (words.has(kWeeks) || words.has_chinese_week()) return Grain::kWeek;
  if (words.has(kMonths)) return Grain::kMonth;
  if (words.has(kYears)) return Grain::kYear;
  return std::nullopt;
}

}  // namespace weft::timex
