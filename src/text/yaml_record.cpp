#include "text/yaml_record.h"

#include <algorithm>

#include "base/strings.h"
#include "text/json.h"
#include "text/utf8.h"
#include "text/yaml_writer.h"

namespace weft {
namespace {

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
