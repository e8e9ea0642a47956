#include "text/time/numerals.h"

#include <optional>
#include <string_view>
#include <unordered_map>

#include "text/numerals.h"

namespace weft::timex {
namespace {

constexpr std::size_t kLongest = 12;  // tokens of a number in words

std::optional<NumberWord> english_word(const std::vector<Token>& tokens, std::size_t at) {
  if (at >= tokens.size() || tokens[at].kind != TokenKind::kLetters) return std::nullopt;
  if (tokens[at].text == "fourty") return NumberWord{40, false};  // often written so
  return english_number(tokens[at].text);
}

bool is_text(const std::vector<Token>& tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].text == text;
}

/// 0 to 99: "seven", "twenty one", "twenty-first". Gives both "twenty" and "twenty one",
/// of "twenty-one" the whole.
void below_hundred(const std::vector<Token>& tokens, std::size_t at, std::vector<Numeral>& out) {
  const auto first = english_word(tokens, at);
  if (!first) return;
  Numeral number;
  number.end = at + 1;
  number.value = first->value;
  number.ordinal = first->ordinal;
  number.words = true;
  out.push_back(number);
  if (first->ordinal || first->value < 20) return;
  std::size_t next = at + 1;
  const bool hyphen = is_text(tokens, next, "-");  // transcripts have blanks around it
  if (hyphen) ++next;
  const auto second = english_word(tokens, next);
  if (!second || second->value < 1 || second->value > 9) return;
  if (hyphen) out.pop_back();  // "thirty-five" is no stretch from thirty to five
  number.end = next + 1;
  number.value += second->value;
  number.ordinal = second->ordinal;
  out.push_back(number);
}

/// "two thousand and eighteen", "nineteen seventy eight", "nineteen hundred", "twenty oh five", "two hundred".
void larger(const std::vector<Token>& tokens, std::size_t at, std::vector<Numeral>& out) {
  std::vector<Numeral> head;
  below_hundred(tokens, at, head);
  if (head.empty() || head.back().ordinal) return;
  for (const Numeral& front : head) {
    std::size_t next = front.end;
    double value = 0;
    bool scaled = false;
    if (is_text(tokens, next, "thousand") || is_text(tokens, next, "hundred")) {
      value = front.value * (tokens[next].text == "thousand" ? 1000 : 100);
      scaled = true;
      ++next;
      Numeral round;
      round.end = next;
      round.value = value;
      round.words = true;
      round.year = value >= 1000 && value < 2100;
      out.push_back(round);
      if (is_text(tokens, next, "and")) ++next;
    } else if (front.value >= 10 && front.value <= 20) {
      value = front.value * 100;
      if (is_text(tokens, next, "-") && tokens[next].glued) ++next;
    } else {
      continue;
    }
    std::vector<Numeral> tail;
    below_hundred(tokens, next, tail);
    for (const Numeral& back : tail) {
      if (back.ordinal || back.value < 1 || (!scaled && back.value < 10)) continue;
      Numeral number;
      number.end = back.end;
      number.value = value + back.value;
      number.words = true;
      // "Twelve thirty" is a time of the day.
      const bool clock = !scaled && front.value <= 12 && back.value < 60;
      number.year = number.value >= 1000 && number.value < 2100 && !clock;
      out.push_back(number);
    }
  }
}

bool is_suffix(const std::vector<Token>& tokens, std::size_t at) {
  static constexpr std::string_view kSuffixes[] = {"st", "nd", "rd", "th"};
  if (at >= tokens.size() || !tokens[at].glued) return false;
  for (const auto suffix : kSuffixes) {
    if (tokens[at].text == suffix) return true;
  }
  return false;
}

void digits(const std::vector<Token>& tokens, std::size_t at, std::vector<Numeral>& out) {
  const Token& token = tokens[at];
  if (token.text.size() > 9) return;
  Numeral number;
  number.end = at + 1;
  number.digits = static_cast<int>(token.text.size());
  for (const char c : token.text) number.value = number.value * 10 + (c - '0');
  number.year = number.digits == 4 && number.value >= 1000 && number.value < 2200;
  out.push_back(number);
  if (is_suffix(tokens, at + 1)) {
    number.end = at + 2;
    number.ordinal = true;
    number.year = false;
    out.push_back(number);
  } else if (is_text(tokens, at + 1, ".") && tokens[at + 1].glued && at + 2 < tokens.size() && tokens[at + 2].glued &&
             tokens[at + 2].kind == TokenKind::kDigits && tokens[at + 2].text.size() <= 3) {
    double scale = 1;
    double rest = 0;
    for (const char c : tokens[at + 2].text) rest = rest * 10 + (c - '0'), scale *= 10;
    number.value += rest / scale;
    number.end = at + 3;
    number.year = false;
    number.digits = 0;
    out.push_back(number);
  }
}

int han_digit(std::string_view text) {
  // As they stand on cheques, and with the counter in them.
  static const std::unordered_map<std::string_view, int> others = {
      {"壹", 1}, {"贰", 2}, {"叁", 3}, {"俩", 2}, {"仨", 3}};
  const auto found = others.find(text);
  return found == others.end() ? chinese_digit(text).value_or(-1) : found->second;
}

int han_scale(std::string_view text) { return text == "拾" ? 10 : chinese_scale(text).value_or(0); }

/// Digit by digit, as years and telephone numbers are read: 二零一六.
void han_row(const std::vector<Token>& tokens, std::size_t at, std::vector<Numeral>& out) {
  Numeral number;
  number.words = true;
  std::size_t next = at;
  for (; next < tokens.size() && next < at + 4; ++next) {
    const int digit = han_digit(tokens[next].text);
    if (digit < 0) break;
    number.value = number.value * 10 + digit;
    ++number.digits;
    if (number.digits < 2) continue;
    number.end = next + 1;
    number.year = number.digits == 4;
    out.push_back(number);
  }
}

/// With scales: 十五, 二十三, 一百零五, 两千, 廿三. Every part that is a number of its own is given too: 三 of 三十.
void han_scaled(const std::vector<Token>& tokens, std::size_t at, std::vector<Numeral>& out) {
  double total = 0;
  int pending = -1;
  for (std::size_t next = at; next < tokens.size() && next < at + kLongest; ++next) {
    const std::string& text = tokens[next].text;
    const int digit = han_digit(text);
    const int scale = han_scale(text);
    if (text == "廿" || text == "卅") {
      if (next != at) return;
      total = text == "廿" ? 20 : 30;
    } else if (digit >= 0) {
      if (pending > 0) return;
      pending = digit;
    } else if (scale > 0) {
      if (pending < 0 && (next != at || scale != 10)) return;
      total += (pending < 0 ? 1 : pending) * scale;
      pending = -1;
    } else {
      return;
    }
    if (digit == 0 && next != at) continue;  // 一百零 is not a number yet
    Numeral number;
    number.end = next + 1;
    number.value = total + (pending > 0 ? pending : 0);
    number.words = true;
    out.push_back(number);
  }
}

}  // namespace

std::vector<Numeral> numerals_at(const std::vector<Token>& tokens, std::size_t at) {
  std::vector<Numeral> out;
  switch (tokens[at].kind) {
    case TokenKind::kDigits: digits(tokens, at, out); break;
    case TokenKind::kLetters:
      below_hundred(tokens, at, out);
      if (!out.empty()) larger(tokens, at, out);
      break;
    case TokenKind::kHan:
      han_scaled(tokens, at, out);
      if (!out.empty()) han_row(tokens, at, out);
      break;
    case TokenKind::kMark: break;
  }
  return out;
}

}  // namespace weft::timex
