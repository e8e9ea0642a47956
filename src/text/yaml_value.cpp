#include "text/yaml_value.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/utf8.h"

namespace weft {
namespace {

// Thrown through the library, which knows no other way to be stopped; caught below.
struct Refused {
  Error error;
};

// Builds the tree while the library reads, so that what is over a limit is refused before it takes memory.
class TreeBuilder : public YAML::EventHandler {
 public:
  // `lines`, unless null, gets the line of each value.
  TreeBuilder(const YamlLimits& limits, std::string_view what, YamlLines* lines)
      : limits_(limits), what_(what), lines_(lines) {}

  Value take() { return std::move(done_); }
  Error error_at(const YAML::Mark& mark, const std::string& text) const {
    return invalid_argument(what_ + ": line " + std::to_string(std::max(mark.line, 0) + 1) + ": " + text);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(mark, "a second document begins");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse(mark, "anchors are not supported"); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "aliases are not supported"); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (anchor != 0) refuse(mark, "anchors are not supported");
    add(mark, Value());
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (anchor != 0) refuse(mark, "anchors are not supported");
    const bool plain = tag == "?" || tag.empty();
    if (!open_.empty() && open_.back().is_map && !open_.back().has_key) return set_key(mark, text);
    const bool null = plain && (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL");
    add(mark, null ? Value() : Value(text));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, true);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    bool is_map = false, has_key = false;
    std::string key, place;
    std::unordered_set<std::string> seen;
    ValueObject members;
    ValueList list;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& text) const {
    throw Refused{error_at(mark, text)};
  }
  void count_node(const YAML::Mark& mark) {
    if (++nodes_ <= limits_.max_nodes) return;
    throw Refused{too_large(what_ + ": line " + std::to_string(mark.line + 1) + ": more than " +
                            std::to_string(limits_.max_nodes) + " values")};
  }
  void set_key(const YAML::Mark& mark, const std::string& key) {
    count_node(mark);
    Open& map = open_.back();
    if (!map.seen.insert(key).second) refuse(mark, "the key \"" + preview(key, 60) + "\" stands there twice");
    map.key = key;
    map.has_key = true;
    note_line(mark);
  }
  // Of the value that comes next. A member has its key's line already.
  std::string place() const {
    if (open_.empty()) return "";
    const Open& in = open_.back();
    if (!in.is_map) return in.place + "[" + std::to_string(in.list.size()) + "]";
    return in.place.empty() ? in.key : in.place + "." + in.key;
  }
  void note_line(const YAML::Mark& mark) {
    if (lines_ != nullptr) lines_->emplace(place(), static_cast<std::size_t>(std::max(mark.line, 0)) + 1);
  }
  void open(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
    if (anchor != 0) refuse(mark, "anchors are not supported");
    if (open_.size() >= limits_.max_depth) refuse(mark, "nested too deeply");
    if (!open_.empty() && open_.back().is_map && !open_.back().has_key) refuse(mark, "a key must be a word");
    count_node(mark);
    note_line(mark);
    std::string here = lines_ != nullptr ? place() : "";
    open_.emplace_back();
    open_.back().is_map = is_map;
    open_.back().place = std::move(here);
  }
  void close() {
    Open ready = std::move(open_.back());
    open_.pop_back();
    put(ready.is_map ? Value(std::move(ready.members)) : Value(std::move(ready.list)));
  }
  void add(const YAML::Mark& mark, Value value) {
    if (!open_.empty() && open_.back().is_map && !open_.back().has_key) refuse(mark, "a key is missing");
    count_node(mark);
    note_line(mark);
    put(std::move(value));
  }
  void put(Value value) {
    if (open_.empty()) {
      done_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.is_map) {
      parent.members.emplace_back(std::move(parent.key), std::move(value));
      parent.has_key = false;
    } else {
      parent.list.push_back(std::move(value));
    }
  }

  const YamlLimits& limits_;
  std::string what_;
  YamlLines* lines_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
  std::vector<Open> open_;
  Value done_;
};

std::string line_of(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(byte);
  return "line " + std::to_string(1 + std::count(text.begin(), end, '\n'));
}

Status check_text(std::string_view yaml, const YamlLimits& limits, std::string_view what) {
  const std::string begin = std::string(what) + ": ";
  if (yaml.size() > limits.max_bytes) {
    return too_large(begin + std::to_string(yaml.size()) + " bytes of YAML are more than the " +
                     std::to_string(limits.max_bytes) + " allowed");
  }
  if (const auto byte = find_invalid_utf8(yaml)) {
    return invalid_argument(begin + line_of(yaml, *byte) + ": not UTF-8", "save the file as UTF-8");
  }
  // The library takes some control characters for the end of the text.
  const auto control = std::find_if(yaml.begin(), yaml.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  if (control == yaml.end()) return {};
  return invalid_argument(begin + line_of(yaml, static_cast<std::size_t>(control - yaml.begin())) +
                          ": a control character");
}

Result<Value> parse(std::string_view yaml, const YamlLimits& limits, std::string_view what, YamlLines* lines) {
  WEFT_CHECK(check_text(yaml, limits, what));
  TreeBuilder builder(limits, what, lines);
  try {
    std::istringstream stream{std::string(yaml)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return refused.error;
  } catch (const YAML::Exception& error) {
    return builder.error_at(error.mark, error.msg);
  } catch (const std::exception& error) {
    return invalid_argument(std::string(what) + ": cannot be read as YAML: " + error.what());
  }
  return builder.take();
}

enum ByteKind : unsigned char {
  kNone = 0,
  kFirst = 1,   // may not begin a plain scalar
  kInside = 2,  // needs a look wherever it stands
  kQuote = 4,   // needs an escape inside quotes, or a look
  kNumber = 8,  // part of a number, a date or a time
  kKey = 16,    // may not stand in a key or inside { }
};

constexpr std::array<unsigned char, 256> make_table() {
  std::array<unsigned char, 256> table{};
  const auto mark = [&](std::string_view bytes, unsigned char kind) {
    for (const char c : bytes) table[static_cast<unsigned char>(c)] |= kind;
  };
  mark("-?:,[]{}#&*!|>'\"%@`.+=~< ", kFirst);
  mark(":#", kInside);
  mark("\"\\", kQuote);
  mark("0123456789+-._:eExXoOabcdfABCDFTtZz ", kNumber);
  mark(",[]{}:?", kKey);
  for (std::size_t c = 0; c < 0x20; ++c) table[c] |= kInside | kQuote;
  // First bytes of characters that are line breaks to some readers, or not printable: U+0080 …, U+2028, U+FEFF, U+FFFE.
  for (const std::size_t c : {0x7f, 0xc2, 0xe2, 0xef}) table[c] |= kInside | kQuote;
  return table;
}
constexpr std::array<unsigned char, 256> kTable = make_table();

unsigned char kind_of(char c) { return kTable[static_cast<unsigned char>(c)]; }

bool needs_escape(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

bool is_word_of_yaml(std::string_view text) {
  if (text.size() > 5) return false;
  const std::string lower = lowered(text);
  static constexpr std::array<std::string_view, 7> kWords{"null", "true", "false", "yes", "no", "on", "off"};
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

bool looks_like_number(std::string_view text) {
  return is_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return (kind_of(c) & kNumber) != 0; });
}

bool ends_scalar(std::string_view text, std::size_t at) {
  if (text[at] == ':') return at + 1 == text.size() || text[at + 1] == ' ';
  if (text[at] == '#') return at > 0 && text[at - 1] == ' ';
  return needs_escape(next_code_point(text, at));
}

void append_hex(std::string& out, char32_t c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const bool wide = c > 0xff;
  out += wide ? "\\u" : "\\x";
  for (int shift = wide ? 12 : 4; shift >= 0; shift -= 4) out += kDigits[(c >> static_cast<unsigned>(shift)) & 0xfU];
}

void append_escape(std::string& out, char32_t c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    default: append_hex(out, c);
  }
}

// Readers need not take a key that is longer than 1024 characters, unless it is marked with "?".
constexpr std::size_t kLongKey = 500;

std::string number_text(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool looks_described(std::string_view text) { return text.back() == ')' && text.find(" (") != std::string_view::npos; }

bool is_scalar(const Value& value) { return value.list() == nullptr && value.object() == nullptr; }

bool is_empty_container(const Value& value) {
  if (const ValueList* list = value.list()) return list->empty();
  const ValueObject* object = value.object();
  return object != nullptr && object->empty();
}

class Writer {
 public:
  explicit Writer(const YamlOptions& options) : options_(options) {}

  Result<std::string> write(const Value& value) {
    if (fits_a_line(value)) {
      pad(options_.indent);
      line(value, {});
    } else if (!block(value, options_.indent, false, 1)) {
      return invalid_argument("data is nested more than " + std::to_string(options_.max_depth) + " deep");
    }
    if (find_invalid_utf8(out_)) return repair_utf8(out_);
    return std::move(out_);
  }

 private:
  // A list or an object that has something in it. `inline_first`: its first line goes on where the last one stopped.
  bool block(const Value& value, std::size_t indent, bool inline_first, std::size_t depth) {
    if (depth > options_.max_depth) return false;
    bool first = inline_first;
    if (const ValueList* list = value.list()) {
      for (const Value& element : *list) {
        if (!std::exchange(first, false)) pad(indent);
        out_ += "- ";
        if (fits_a_line(element)) {
          line(element, {});
        } else if (!block(element, indent + 2, true, depth + 1)) {
          return false;
        }
      }
      return true;
    }
    for (const auto& [name, member] : *value.object()) {
      if (!std::exchange(first, false)) pad(indent);
      key(name, indent, false);
      if (is_text_block(member)) {
        text_block(*member.text(), indent + 2);
      } else if (fits_a_line(member)) {
        out_ += ' ';
        line(member, name);
      } else {
        out_ += '\n';
        if (!block(member, indent + 2, false, depth + 1)) return false;
      }
    }
    return true;
  }

  // Only what the block gives back as it was: no marks of other kinds of line end, no blanks at its very begin, which
  // would be taken for the indentation.
  bool is_text_block(const Value& value) const {
    const std::string* text = options_.text_blocks ? value.text() : nullptr;
    if (text == nullptr || text->find('\n') == std::string::npos ||
        std::string_view(" \t\n").find(text->front()) != std::string_view::npos)
      return false;
    if (has_harmful(*text) || find_invalid_utf8(*text)) return false;
    for (const std::string_view other : {"\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF", "\n\t"})
      if (text->find(other) != std::string::npos) return false;
    return std::none_of(text->begin(), text->end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    });
  }

  void text_block(std::string_view text, std::size_t indent) {
    std::size_t breaks = 0;
    while (text.ends_with('\n')) text.remove_suffix(1), ++breaks;
    out_ += breaks == 0 ? " |-\n" : breaks == 1 ? " |\n" : " |+\n";
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (end > at) pad(indent);
      out_.append(text, at, end - at);
      out_ += '\n';
      at = end + 1;
    }
    if (breaks > 1) out_.append(breaks - 1, '\n');
  }

  bool fits_a_line(const Value& value) {
    return is_scalar(value) || is_empty_container(value) || described(value, false) || is_entity(value);
  }

  void line(const Value& value, std::string_view name) {
    if (is_scalar(value)) {
      scalar(value, name == "_anchor");
    } else if (is_empty_container(value)) {
      out_ += value.list() != nullptr ? "[]" : "{}";
    } else if (const auto text = described(value, false)) {
      out_ += *text;
    } else {
      entity(*value.object());
    }
    out_ += '\n';
  }

  bool is_entity(const Value& value) {
    const ValueObject* members = value.object();
    if (!options_.flow_entities || members == nullptr || value.find("id") == nullptr) return false;
    for (const auto& [name, member] : *members) {
      if (name.size() > kLongKey) return false;
      if (!is_scalar(member) && !described(member, true)) return false;
    }
    return true;
  }

  void entity(const ValueObject& members) {
    out_ += "{ ";
    bool first = true;
    for (const auto& [name, member] : members) {
      if (!std::exchange(first, false)) out_ += ", ";
      key(name, 0, true);
      out_ += ' ';
      if (const auto text = described(member, true)) {
        out_ += *text;
      } else {
        scalar(member, true);
      }
    }
    out_ += " }";
  }

  // "85 (wounded)", where it can be told from everything else.
  std::optional<std::string> described(const Value& value, bool in_flow) {
    const ValueObject* members = value.object();
    if (members == nullptr || members->size() != 2) return std::nullopt;
    const Value* amount = value.find("value");
    const Value* about = value.find("description");
    if (amount == nullptr || about == nullptr || amount->is_null() || !is_scalar(*amount)) return std::nullopt;
    const std::string* words = about->text();
    if (words == nullptr) return std::nullopt;
    std::string text;
    if (const std::string* own = amount->text()) {
      text = clean(*own);
      if (!is_plain_yaml(text) || text.find(" (") != std::string::npos) return std::nullopt;
    } else {
      text = plain_scalar(*amount);
    }
    text += " (";
    text += clean(*words);
    text += ')';
    // A number may begin it: the brackets make it text.
    const bool readable = in_flow ? is_plain_yaml_key("x" + text) : is_plain_yaml("x" + text);
    return readable ? std::optional(text) : std::nullopt;
  }

  void key(std::string_view name, std::size_t indent, bool in_flow) {
    const std::string_view text = clean(name);
    const bool is_long = !in_flow && text.size() > kLongKey;
    if (is_long) out_ += "? ";
    if (is_plain_yaml_key(text)) {
      out_ += text;
    } else {
      append_quoted_yaml(out_, text);
    }
    if (is_long) {
      out_ += '\n';
      pad(indent);
    }
    out_ += ':';
  }

  void scalar(const Value& value, bool quoted) {
    const std::string* text = value.text();
    if (text == nullptr) {
      out_ += plain_scalar(value);
      return;
    }
    const std::string_view words = clean(*text);
    if (quoted || !is_plain_yaml(words) || looks_described(words)) {
      append_quoted_yaml(out_, words);
    } else {
      out_ += words;
    }
  }

  static std::string plain_scalar(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return std::to_string(*whole);
    if (const auto* number = std::get_if<double>(&value.data)) return number_text(*number);
    return "null";
  }

  // Valid until the next call.
  std::string_view clean(std::string_view text) {
    if (!options_.harmless || !has_harmful(text)) return text;
    cleaned_ = drop_harmful(text);
    return cleaned_;
  }

  void pad(std::size_t count) { out_.append(count, ' '); }

  const YamlOptions& options_;
  std::string out_, cleaned_;
};

const std::string* type_of(const Value& schema) {
  const Value* type = schema.find("type");
  return type != nullptr ? type->text() : nullptr;
}

bool is_json(const std::string& text) { return check_json(text, {.max_bytes = text.size() + 1}, "").ok(); }

// 1.5, 1e3 and -7 are numbers of JSON as well; "1." and "0x10" are none.
bool is_json_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("+-.eE0123456789") == std::string::npos && is_json(text);
}

std::string as_json_text(std::string_view text) {
  JsonWriter out;
  out.text(text);
  return out.take();
}

std::string scalar_as_json(const std::string& text, const Value& schema) {
  const std::string* type = type_of(schema);
  if (type == nullptr) return schema.find("enum") == nullptr && is_json(text) ? compact_json(text) : as_json_text(text);
  if ((*type == "integer" || *type == "number") && is_json_number(text)) return text;
  // As the core schema of YAML 1.2 has them, which knows no "yes" and "on".
  if (*type == "boolean") {
    if (text == "true" || text == "True" || text == "TRUE") return "true";
    if (text == "false" || text == "False" || text == "FALSE") return "false";
  }
  return as_json_text(text);
}

// The place that an error of a record names: what stands first in quotes.
std::string named_place(const std::string& message) {
  const std::size_t from = message.find('"');
  const std::size_t to = from == std::string::npos ? from : message.find('"', from + 1);
  return to == std::string::npos ? "" : message.substr(from + 1, to - from - 1);
}

// The line of a place, or of the nearest thing around it: what is missing has none of its own.
std::size_t line_at(const YamlLines& lines, std::string place) {
  for (;;) {
    if (const auto found = lines.find(place); found != lines.end()) return found->second;
    const std::size_t cut = place.find_last_of(".[");
    if (cut == std::string::npos) break;
    place.resize(cut);
  }
  const auto whole = lines.find("");
  return whole != lines.end() ? whole->second : 1;
}

// What may be any JSON becomes a text of it.
void hold_any_json(Value& value, const Value& schema) {
  if (type_of(schema) == nullptr) {
    if (!value.is_null()) value = Value(to_json(value));
    return;
  }
  if (ValueList* list = value.list()) {
    if (const Value* items = schema.find("items"))
      for (Value& one : *list) hold_any_json(one, *items);
  } else if (ValueObject* members = value.object()) {
    const Value* known = schema.find("properties");
    for (auto& [name, member] : *members)
      if (const Value* own = known != nullptr ? known->find(name) : nullptr) hold_any_json(member, *own);
  }
}

std::size_t line_start(std::string_view text, std::size_t line) {
  std::size_t at = 0;
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  return at;
}

}  // namespace

Result<Value> parse_yaml_value(std::string_view yaml, const YamlLimits& limits, std::string_view what) {
  return parse(yaml, limits, what, nullptr);
}

Result<YamlTree> parse_yaml_tree(std::string_view yaml, const YamlLimits& limits, std::string_view what) {
  YamlTree tree;
  WEFT_TRY(tree.value, parse(yaml, limits, what, &tree.lines));
  return tree;
}

bool is_plain_yaml(std::string_view text) {
  if (text.empty() || (kind_of(text.front()) & kFirst) != 0 || text.back() == ' ') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((kind_of(text[i]) & kInside) != 0 && ends_scalar(text, i)) return false;
  }
  return !looks_like_number(text) && !is_word_of_yaml(text);
}

bool is_plain_yaml_key(std::string_view text) {
  return is_plain_yaml(text) && std::none_of(text.begin(), text.end(), [](char c) { return (kind_of(c) & kKey) != 0; });
}

void append_quoted_yaml(std::string& out, std::string_view text) {
  out += '"';
  std::size_t run = 0;
  for (std::size_t i = 0; i < text.size();) {
    if ((kind_of(text[i]) & kQuote) == 0) {
      ++i;
      continue;
    }
    std::size_t next = i;
    const char32_t c = next_code_point(text, next);
    if (c == '"' || c == '\\' || needs_escape(c)) {
      out.append(text, run, i - run);
      append_escape(out, c);
      run = next;
    }
    i = next;
  }
  out.append(text, run);
  out += '"';
}

Result<std::string> write_yaml(const Value& value, const YamlOptions& options) { return Writer(options).write(value); }

std::string yaml_as_json(const Value& tree, const Value& schema) {
  if (const std::string* text = tree.text()) return scalar_as_json(*text, schema);
  JsonWriter out;
  static const Value kAny = ValueObject{};
  if (const ValueList* list = tree.list()) {
    const Value* items = schema.find("items");
    out.begin('[');
    for (const Value& one : *list) out.raw(yaml_as_json(one, items != nullptr ? *items : kAny));
    out.end(']');
  } else if (const ValueObject* members = tree.object()) {
    const Value* known = schema.find("properties");
    out.begin('{');
    for (const auto& [name, member] : *members) {
      const Value* own = known != nullptr ? known->find(name) : nullptr;
      out.name(name);
      out.raw(yaml_as_json(member, own != nullptr ? *own : kAny));
    }
    out.end('}');
  } else {
    return to_json(tree);
  }
  return out.take();
}

Error with_yaml_line(Error error, const YamlLines& lines, const std::string& root, std::string_view what) {
  const std::string place = named_place(error.message);
  const std::string whole = root.empty() || place.empty() ? root + place : root + "." + place;
  error.message = std::string(what) + ": line " + std::to_string(line_at(lines, whole)) + ": " + error.message;
  return error;
}

std::string yaml_element_text(std::string_view yaml, const YamlTree& tree, const std::string& list, std::size_t index) {
  const auto begin = tree.lines.find(list + "[" + std::to_string(index) + "]");
  if (begin == tree.lines.end()) return {};
  // The next thing that begins on a later line and is no part of this element.
  std::size_t end = std::string_view::npos;
  const std::string own = begin->first;
  for (const auto& [place, line] : tree.lines) {
    const bool inside =
        place.starts_with(own) && (place.size() == own.size() || place[own.size()] == '.' || place[own.size()] == '[');
    if (!inside && line > begin->second) end = std::min(end, line);
  }
  const std::size_t from = line_start(yaml, begin->second);
  const std::size_t to = end == std::string_view::npos ? yaml.size() : line_start(yaml, end);
  std::string text(yaml.substr(from, to - from));
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string yaml_of_json(std::string_view json, const Value& schema, std::size_t indent) {
  auto value = parse_value(json, {.max_bytes = json.size() + 1}, "");
  if (!value.ok()) return {};
  hold_any_json(*value, schema);
  YamlOptions options;
  options.indent = indent;
  options.flow_entities = false;
  options.text_blocks = true;
  return write_yaml(*value, options).value_or("");
}

std::string yaml_element(std::string_view yaml) {
  std::string out;
  for (const std::string_view line : lines_of(yaml))
    out.append(out.empty() ? "  - " : line.empty() ? "" : "    ").append(line) += '\n';
  return out;
}

std::string moved_yaml_element(std::string_view element) {
  std::string out;
  const std::size_t dash = std::min(element.find('-'), element.size());
  for (const std::string_view line : lines_of(element)) {
    const std::size_t blank = std::min({dash, line.find_first_not_of(' '), line.size()});
    out += line.size() == blank ? "\n" : "  " + std::string(line.substr(blank)) + "\n";
  }
  return out;
}

}  // namespace weft
