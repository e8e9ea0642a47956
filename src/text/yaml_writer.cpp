#include "text/yaml_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "text/markup.h"
#include "text/utf8.h"
#include "text/yaml_plain.h"

namespace weft {
namespace {

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

}  // namespace

Result<std::string> write_yaml(const Value& value, const YamlOptions& options) { return Writer(options).write(value); }

}  // namespace weft
