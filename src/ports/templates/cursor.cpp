#include "ports/templates/cursor.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/ascii.h"

namespace weft::templates {
namespace {

constexpr std::size_t kMaxTag = 4000;  // bytes
constexpr std::string_view kBlanks = " \t\v\f", kSpaces = " \t\v\f\n";

// Of those that begin alike the longest comes first.
constexpr Operator kOperators[] = {{"or", 1}, {"and", 2}, {"not", 3}, {"in", 3}, {"==", 3},
                                   {"!=", 3}, {"<=", 3},  {">=", 3},  {"<", 3},  {">", 3},
                                   {"+", 4},  {"-", 4},   {"~", 5},   {"*", 6},  {"/", 6}};

bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

std::size_t Cursor::line() const {
  return 1 + static_cast<std::size_t>(
                 std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(word_), '\n'));
}

std::string_view Cursor::plain() {
  const auto opens = [&](std::size_t at) {
    return at + 1 < source_.size() && std::string_view("{%#").find(source_[at + 1]) != std::string_view::npos;
  };
  std::size_t end = source_.find('{', at_);
  while (end < source_.size() && !opens(end)) end = source_.find('{', end + 1);
  end = std::min(end, source_.size());
  const std::string_view all = source_, before = all.substr(0, at_), behind = all.substr(end);
  std::string_view text = all.substr(at_, end - at_);
  if (behind.starts_with("{%") || behind.starts_with("{#")) {
    const std::size_t last = text.find_last_not_of(kBlanks);
    if (last == std::string_view::npos ? at_ == 0 : text[last] == '\n') text = text.substr(0, last + 1);
  }
  if ((before.ends_with("%}") || before.ends_with("#}")) && text.starts_with('\n')) text.remove_prefix(1);
  if (before.ends_with("-%}") || before.ends_with("-}}") || before.ends_with("-#}"))
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  if (behind.size() > 2 && behind[2] == '-') text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
  at_ = end;
  return text;
}

char Cursor::open() {
  tag_ = word_ = std::exchange(at_, at_ + 2);
  const char kind = source_[tag_ + 1];
  if (kind == '#') {
    const std::size_t end = source_.find("#}", at_);
    if (end == std::string::npos) meter_.fail("a comment is not closed");
    at_ = end == std::string::npos ? source_.size() : end + 2;
  } else if (at_ < source_.size() && source_[at_] == '-') {
    ++at_;
  }
  return kind;
}

std::string_view Cursor::rest() {
  at_ = std::min(source_.find_first_not_of(kSpaces, at_), source_.size());
  if (at_ == source_.size()) meter_.fail("a tag is not closed");
  if (at_ > tag_ + kMaxTag) meter_.fail("a tag is longer than 4000 bytes", ErrorCode::kTooLarge);
  return meter_.failure() ? std::string_view() : std::string_view(source_).substr(at_);
}

bool Cursor::follows(std::string_view word) {
  const std::string_view text = rest();
  return text.starts_with(word) && !(in_name(word.back()) && text.size() > word.size() && in_name(text[word.size()]));
}

bool Cursor::take(std::string_view word) {
  if (!follows(word)) return false;
  word_ = std::exchange(at_, at_ + word.size());
  return true;
}

void Cursor::want(std::string_view word) {
  if (word == "%}" || word == "}}") take("-");
  if (!take(word)) meter_.fail("'" + std::string(word) + "' is missing");
}

std::string Cursor::name() {
  const std::string_view text = rest();
  std::size_t size = 0;
  while (size < text.size() && in_name(text[size])) ++size;
  if (size == 0 || is_digit(text[0])) meter_.fail("a name is missing");
  word_ = std::exchange(at_, at_ + size);
  return std::string(text.substr(0, size));
}

Operator Cursor::next_operator() {
  if (follows("-%}") || follows("-}}")) return {};
  for (const Operator& one : kOperators)
    if (follows(one.sign)) return one;
  return {};
}

Thing Cursor::text() {
  word_ = at_;
  const char quote = source_[at_];
  std::string text;
  for (++at_; at_ < source_.size() && source_[at_] != quote; ++at_) {
    const bool escaped = source_[at_] == '\\';
    const char c = !escaped ? source_[at_] : ++at_ < source_.size() ? source_[at_] : ' ';
    if (escaped && std::string_view("ntr\\'\"").find(c) == std::string_view::npos)
      return meter_.fail("there is no such escape in a text");
    text += !escaped ? c : c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  if (at_ >= source_.size()) return meter_.fail("a text is not closed");
  ++at_;
  return thing(std::move(text));
}

Thing Cursor::number() {
  const std::string_view text = rest();
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  double number = 0;
  auto read = std::from_chars(text.data(), end, whole);
  const bool point = end - read.ptr > 1 && *read.ptr == '.' && is_digit(read.ptr[1]);
  if (point) read = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc()) return meter_.fail("a number has more than 64 bits");
  word_ = std::exchange(at_, at_ + static_cast<std::size_t>(read.ptr - text.data()));
  return point ? thing(number) : thing(whole);
}

}  // namespace weft::templates
