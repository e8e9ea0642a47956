#include "surface/api/read_json.h"

#include <nlohmann/json.hpp>

namespace weft {
namespace {

/// Only counts how deep it is; knows no values.
struct DepthCheck : nlohmann::json_sax<nlohmann::json> {
  explicit DepthCheck(std::size_t limit) : most(limit) {}
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth <= most; }
  bool end_object() override { return --depth, true; }
  bool start_array(std::size_t) override { return ++depth <= most; }
  bool end_array() override { return --depth, true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    what = error.what();
    return false;
  }
  const std::size_t most;
  std::size_t depth = 0;
  std::string what;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Walks over text that is known to be JSON; therefore it only looks for where things end.
class Walker {
 public:
  Walker(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  char next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void step() { ++at_; }

  JsonSpan value() {
    const char first = next();
    const auto begin = at_;
    if (first == '"') {
      skip_string();
    } else if (first == '{' || first == '[') {
      skip_nested();
    } else {
      while (at_ < text_.size() && !is_space(text_[at_]) && std::string_view(",]}").find(text_[at_]) == std::string_view::npos) ++at_;
    }
    return {begin, at_};
  }

 private:
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  void skip_nested() {
    std::size_t depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    } while (depth > 0 && at_ < text_.size());
  }

  std::string_view text_;
  std::size_t at_;
};

bool same_name(std::string_view quoted, std::string_view name) {
  if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2) == name;
  return nlohmann::json::parse(quoted, nullptr, false) == name;
}

}  // namespace

Status check_json(std::string_view text, std::size_t max_depth) {
  DepthCheck check(max_depth);
  if (nlohmann::json::sax_parse(text, &check)) return {};
  if (check.what.empty()) return invalid_argument("JSON nested deeper than " + std::to_string(max_depth) + " levels");
  return invalid_argument("the body is not JSON: " + check.what.substr(check.what.find("] ") + 2));
}

Result<JsonSpan> find_member(std::string_view object, std::string_view name) {
  Walker walker(object, 0);
  if (walker.next() != '{') return invalid_argument("the body is not a JSON object");
  walker.step();
  Result<JsonSpan> found = not_found("no member \"" + std::string(name) + "\"");
  while (walker.next() == '"') {
    const auto key = walker.value();
    walker.next();
    walker.step();  // the colon
    const auto value = walker.value();
    if (same_name(key.of(object), name)) found = value;
    if (walker.next() == ',') walker.step();
  }
  return found;
}

Result<std::vector<JsonSpan>> find_elements(std::string_view text, JsonSpan array) {
  Walker walker(text.substr(0, array.end), array.begin);
  if (walker.next() != '[') return invalid_argument("this is not a JSON array");
  walker.step();
  std::vector<JsonSpan> out;
  while (walker.next() != ']' && walker.next() != '\0') {
    out.push_back(walker.value());
    if (walker.next() == ',') walker.step();
  }
  return out;
}

}  // namespace weft
