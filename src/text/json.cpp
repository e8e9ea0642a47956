#include "text/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>

#include "text/utf8.h"

namespace weft {
namespace {

// Validates while it counts the depth; keeps nothing of what it sees.
class DepthCheck final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit DepthCheck(std::size_t max_depth) : max_depth_(max_depth) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    position_ = position;
    message_ = error.what();
    return false;
  }

  bool too_deep() const { return depth_ > max_depth_; }
  std::size_t position() const { return position_; }
  const std::string& message() const { return message_; }

 private:
  bool enter() { return ++depth_ <= max_depth_; }
  bool leave() { return --depth_, true; }

  std::size_t max_depth_;
  std::size_t depth_ = 0;
  std::size_t position_ = 0;
  std::string message_;
};

// The library's own words, without its prefix "[json.exception.parse_error.101] parse error at line 1, column 7: ".
std::string_view reason_of(std::string_view message) {
  if (const auto at = message.find("] "); at != std::string_view::npos) message.remove_prefix(at + 2);
  if (message.starts_with("parse error")) {
    if (const auto at = message.find(": "); at != std::string_view::npos) message.remove_prefix(at + 2);
  }
  if (const auto at = message.find("; last read"); at != std::string_view::npos) message = message.substr(0, at);
  return message;
}

std::string_view hint_for(std::string_view reason) {
  if (reason.find("surrogate") != std::string_view::npos) {
    return "write characters outside the basic plane as a pair of \\u escapes or as plain UTF-8; a text cut inside "
           "such a "
           "pair leaves half of it behind";
  }
  if (reason.find("out of range") != std::string_view::npos) return "write the number so that it fits a double";
  return "send one complete JSON value";
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

void skip_space(std::string_view text, std::size_t& at) {
  while (at < text.size() && is_space(text[at])) ++at;
}

// Behind the string that begins at `at`.
void skip_string(std::string_view text, std::size_t& at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  at = std::min(at + 1, text.size());
}

// Behind the value that begins at `at`. Brackets inside strings do not count.
void skip_value(std::string_view text, std::size_t& at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      skip_string(text, at);
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
      continue;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return;
      --depth;
      ++at;
    } else if (depth == 0 && (c == ',' || is_space(c))) {
      return;
    } else {
      ++at;
      continue;
    }
    if (depth == 0) return;
  }
}

std::string_view take_value(std::string_view text, std::size_t& at) {
  skip_space(text, at);
  const std::size_t begin = at;
  skip_value(text, at);
  const std::string_view value = text.substr(begin, at - begin);
  skip_space(text, at);
  return value;
}

// Where the first item stands: behind the opening bracket, and behind a byte order mark, which the parser skips too.
std::size_t inside(std::string_view text) {
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  skip_space(text, at);
  ++at;
  skip_space(text, at);
  return at;
}

std::string escaped(unsigned char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

Status check_json(std::string_view text, const JsonLimits& limits, std::string_view what) {
  if (text.size() > limits.max_bytes) {
    return too_large(fmt::format("{} has {} bytes, more than {}", what, text.size(), limits.max_bytes),
                     "send less at once or raise the limit");
  }
  if (const auto at = find_invalid_utf8(text)) {
    return invalid_argument(fmt::format("{} is not UTF-8 from byte {} on", what, *at), "send UTF-8");
  }
  DepthCheck check(limits.max_depth);
  bool valid = false;
  try {
    valid = nlohmann::json::sax_parse(text.begin(), text.end(), &check);
  } catch (const nlohmann::json::exception& error) {
    return invalid_argument(fmt::format("{} is not JSON: {}", what, error.what()), "send one complete JSON value");
  }
  if (valid) return {};
  if (check.too_deep()) {
    return too_large(fmt::format("{} is nested deeper than {} levels", what, limits.max_depth),
                     "send it flatter or raise the limit");
  }
  const std::string_view reason = reason_of(check.message());
  return invalid_argument(fmt::format("{} is not JSON at byte {}: {}", what, check.position(), reason),
                          std::string(hint_for(reason)));
}

Result<nlohmann::json> read_json(std::string_view text, const JsonLimits& limits, std::string_view what) {
  WEFT_CHECK(check_json(text, limits, what));
  nlohmann::json value = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (value.is_discarded()) return internal(fmt::format("{} passed the check but could not be read", what));
  return value;
}

std::string write_json(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string write_json(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool nests_deeper(std::string_view json, std::size_t levels) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      skip_string(json, at);
      continue;
    }
    if (c == '{' || c == '[') {
      if (++depth > levels) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
    ++at;
  }
  return false;
}

std::vector<std::string_view> json_elements(std::string_view array) {
  std::vector<std::string_view> out;
  for (std::size_t at = inside(array); at < array.size() && array[at] != ']'; ++at) {
    out.push_back(take_value(array, at));
    if (at < array.size() && array[at] == ']') break;
  }
  return out;
}

std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view object) {
  std::vector<std::pair<std::string, std::string_view>> out;
  for (std::size_t at = inside(object); at < object.size() && object[at] != '}'; ++at) {
    const std::string_view quoted = take_value(object, at);
    ++at;  // the colon
    const std::string_view value = take_value(object, at);
    std::string name = quoted.find('\\') == std::string_view::npos
                           ? std::string(quoted.substr(1, quoted.size() - 2))
                           : nlohmann::json::parse(quoted.begin(), quoted.end()).get<std::string>();
    out.emplace_back(std::move(name), value);
    if (at < object.size() && object[at] == '}') break;
  }
  return out;
}

std::string_view json_member(std::string_view object, std::string_view name) {
  std::string_view found;
  for (const auto& [key, value] : json_members(object)) {
    if (key == name) found = value;
  }
  return found;
}

std::string compact_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      const std::size_t begin = at;
      skip_string(json, at);
      out.append(json.substr(begin, at - begin));
    } else {
      if (!is_space(json[at])) out.push_back(json[at]);
      ++at;
    }
  }
  return out;
}

Result<std::string> json_text(std::string_view json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  if (!value.is_string()) return invalid_argument("not a JSON string");
  return value.get<std::string>();
}

void JsonWriter::separate() {
  if (more_) out_ += ',';
  more_ = true;
}

void JsonWriter::begin(char bracket) {
  separate();
  out_ += bracket;
  more_ = false;
}

void JsonWriter::end(char bracket) {
  out_ += bracket;
  more_ = true;
}

void JsonWriter::name(std::string_view name) {
  text(name);
  out_ += ':';
  more_ = false;
}

void JsonWriter::text(std::string_view text) {
  if (find_invalid_utf8(text)) return raw(write_json(nlohmann::json(text)));
  separate();
  out_ += '"';
  std::size_t plain = 0;  // what stands from here on needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out_.append(text, plain, i - plain);
    out_ += escaped(c);
    plain = i + 1;
  }
  out_.append(text, plain);
  out_ += '"';
}

void JsonWriter::number(double number) { raw(write_json(nlohmann::json(number))); }

void JsonWriter::json_or_text(std::string_view given) {
  if (check_json(given, {.max_bytes = given.size() + 1}, "").ok())
    raw(compact_json(given));
  else
    text(given);
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

namespace {

// Builds the tree as the parser reads. The parser's own ordered objects look every name up among all before it.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Value take() { return std::move(done_); }

  bool null() override { return add(Value()); }
  bool boolean(bool flag) override { return add(flag); }
  bool number_integer(number_integer_t number) override { return add(Value(std::int64_t{number})); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number <= static_cast<std::uint64_t>(INT64_MAX)) return add(static_cast<std::int64_t>(number));
    return add(static_cast<double>(number));
  }
  bool number_float(number_float_t number, const string_t&) override { return add(number); }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(ValueObject()); }
  bool start_array(std::size_t) override { return open(ValueList()); }
  bool key(string_t& name) override {
    names_.back() = std::move(name);
    return true;
  }
  bool end_object() override {
    keep_last_of_each(*open_.back().object());
    return close();
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  static void keep_last_of_each(ValueObject& members) {
    std::unordered_map<std::string_view, std::size_t> last;
    for (std::size_t i = 0; i < members.size(); ++i) last[members[i].first] = i;
    if (last.size() == members.size()) return;
    ValueObject kept;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (last[members[i].first] == i) kept.emplace_back(members[i].first, std::move(members[i].second));
    }
    members = std::move(kept);
  }
  bool open(Value container) {
    open_.push_back(std::move(container));
    names_.emplace_back();
    return true;
  }
  bool close() {
    Value ready = std::move(open_.back());
    open_.pop_back();
    names_.pop_back();
    return add(std::move(ready));
  }
  bool add(Value value) {
    if (open_.empty()) {
      done_ = std::move(value);
    } else if (ValueList* list = open_.back().list()) {
      list->push_back(std::move(value));
    } else {
      open_.back().object()->emplace_back(std::move(names_.back()), std::move(value));
    }
    return true;
  }

  std::vector<Value> open_;
  std::vector<std::string> names_;  // of the member being read, one for each open container
  Value done_;
};

nlohmann::ordered_json as_json(const Value& value) {
  return std::visit(
      [](const auto& held) -> nlohmann::ordered_json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, ValueList>) {
          auto list = nlohmann::ordered_json::array();
          for (const Value& element : held) list.push_back(as_json(element));
          return list;
        } else if constexpr (std::is_same_v<Held, ValueObject>) {
          // Filled from behind the map's back: looking each name up would be quadratic.
          nlohmann::ordered_json::object_t members;
          for (const auto& [name, member] : held) {
            static_cast<std::vector<std::pair<const std::string, nlohmann::ordered_json>>&>(members).emplace_back(
                name, as_json(member));
          }
          return members;
        } else {
          return held;
        }
      },
      value.data);
}

}  // namespace

const Value* Value::find(std::string_view name) const {
  const ValueObject* members = object();
  if (members == nullptr) return nullptr;
  for (const auto& [key, member] : *members) {
    if (key == name) return &member;
  }
  return nullptr;
}

Value* Value::find(std::string_view name) { return const_cast<Value*>(std::as_const(*this).find(name)); }

Result<Value> parse_value(std::string_view json, const JsonLimits& limits, std::string_view what) {
  WEFT_CHECK(check_json(json, limits, what));
  Builder builder;
  if (!nlohmann::json::sax_parse(json, &builder)) return invalid_argument(std::string(what) + ": not JSON");
  return builder.take();
}

Result<Value> parse_value(std::string_view json) { return parse_value(json, {}, "JSON"); }

std::string to_json(const Value& value) { return write_json(as_json(value)); }

}  // namespace weft
