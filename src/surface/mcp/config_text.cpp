#include "surface/mcp/config_text.h"

#include <toml++/toml.h>
#include <algorithm>
#include <optional>
#include <sstream>

#include "text/json.h"

namespace weft::mcp {
namespace {

/// A member where it stands: its name, and the bytes of its value.
struct Member {
  std::string name;
  std::size_t begin = 0, end = 0;
};

/// An object where it stands: of its brackets, and its members.
struct ObjectText {
  std::size_t open = 0, close = 0;
  std::vector<Member> members;
};

// From a quote to behind the one that ends it.
std::size_t behind_text(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

std::size_t behind_comment(std::string_view text, std::size_t at) {
  const bool line = text[at + 1] == '/';
  const auto end = text.find(line ? "\n" : "*/", at + 2);
  if (end == std::string_view::npos) return text.size();
  return line ? end : end + 2;
}

bool at_comment(std::string_view text, std::size_t at) {
  return text[at] == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*');
}

std::size_t behind_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (at_comment(text, at))
      at = behind_comment(text, at);
    else if (std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos)
      ++at;
    else
      break;
  }
  return at;
}

// A value of any kind; its brackets match, since the text without comments was read before.
std::size_t behind_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return behind_text(text, at);
  if (text[at] != '{' && text[at] != '[') return std::min(text.find_first_of(",]} \t\r\n/", at), text.size());
  std::size_t depth = 0;
  while (at < text.size()) {
    if (text[at] == '"') {
      at = behind_text(text, at);
      continue;
    }
    if (at_comment(text, at)) {
      at = behind_comment(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    ++at;
    if (depth == 0) break;
  }
  return at;
}

// Nothing where it is not what it looked like: editors allow more than can be told apart here.
std::optional<ObjectText> object_at(std::string_view text, std::size_t open) {
  ObjectText object{open, open, {}};
  std::size_t at = behind_space(text, open + 1);
  while (at < text.size() && text[at] != '}') {
    const std::size_t name_end = behind_text(text, at), colon = behind_space(text, std::min(name_end, text.size()));
    if (text[at] != '"' || colon >= text.size() || text[colon] != ':') return std::nullopt;
    Member member{json_text(text.substr(at, name_end - at)).value_or(""), behind_space(text, colon + 1), 0};
    if (member.begin >= text.size()) return std::nullopt;
    member.end = std::min(behind_value(text, member.begin), text.size());
    if (member.end == member.begin) return std::nullopt;
    at = behind_space(text, member.end);
    if (at < text.size() && text[at] == ',') at = behind_space(text, at + 1);
    object.members.push_back(std::move(member));
  }
  if (at >= text.size()) return std::nullopt;
  object.close = at;
  return object;
}

std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      const std::size_t end = std::min(behind_text(text, at), text.size());
      out += text.substr(at, end - at);
      at = end;
    } else if (at_comment(text, at)) {
      at = behind_comment(text, at);
      out += ' ';  // it parted what stands around it
    } else if (text[at] == ',' && behind_space(text, at + 1) < text.size() &&
               std::string_view("]}").find(text[behind_space(text, at + 1)]) != std::string_view::npos) {
      ++at;
    } else {
      out += text[at++];
    }
  }
  return out;
}

Result<Value> read(std::string_view text) {
  const std::string plain = without_comments(text);
  WEFT_TRY(Value value, parse_value(plain, {.max_bytes = plain.size() + 1}, "the file"));
  if (value.object() == nullptr) return invalid_argument("the file is no JSON object");
  return value;
}

// The white space before what stands at `at` in its line.
std::string indent_at(std::string_view text, std::size_t at) {
  const auto line = text.rfind('\n', at == 0 ? 0 : at - 1);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  const auto end = text.find_first_not_of(" \t", begin);
  return std::string(text.substr(begin, std::min(end, text.size()) - begin));
}

// With line ends and blanks, as people have it.
std::string written(const Value& value, const std::string& indent) {
  const ValueObject* members = value.object();
  if (members == nullptr || members->empty()) return to_json(value);
  std::string out = "{";
  for (const auto& [name, one] : *members)
    out += (out.size() == 1 ? "\n" : ",\n") + indent + "  " + to_json(Value(name)) + ": " + written(one, indent + "  ");
  return out + "\n" + indent + "}";
}

void insert(std::string& text, const ObjectText& object, const std::string& name, const Value& value) {
  const std::string outer = indent_at(text, object.open), inner = outer + "  ";
  const std::string member = "\n" + inner + to_json(Value(name)) + ": " + written(value, inner);
  if (object.members.empty()) {
    text.replace(object.open, object.close + 1 - object.open, "{" + member + "\n" + outer + "}");
    return;
  }
  const std::size_t last = object.members.back().end;
  const std::size_t next = behind_space(text, last);
  if (text[next] == ',')
    text.insert(next + 1, member);
  else
    text.insert(last, "," + member);
}

const Member* find(const ObjectText& object, const std::string& name) {
  const Member* found = nullptr;
  for (const Member& one : object.members)
    if (one.name == name) found = &one;
  return found;
}

Value nested(const std::vector<std::string>& path, std::size_t from, const std::vector<Setting>& settings) {
  ValueObject members;
  for (const Setting& one : settings) members.emplace_back(one.name, one.value);
  Value value(std::move(members));
  for (std::size_t i = path.size(); i-- > from;) value = ValueObject{{path[i], std::move(value)}};
  return value;
}

Error by_hand() { return invalid_argument("the file cannot be changed safely", "change it by hand"); }

// Takes the settings out of a tree, and what of the path has nothing else.
void take_out(Value& tree, const std::vector<std::string>& path, std::size_t at, const std::vector<Setting>& settings) {
  ValueObject* members = tree.object();
  if (members == nullptr) return;
  if (at == path.size()) {
    for (const Setting& one : settings)
      std::erase_if(*members, [&](const auto& member) { return member.first == one.name; });
    return;
  }
  Value* next = tree.find(path[at]);
  if (next == nullptr) return;
  take_out(*next, path, at + 1, settings);
  if (next->object() != nullptr && next->object()->empty())
    std::erase_if(*members, [&](const auto& member) { return member.first == path[at]; });
}

// Nothing but these settings may be otherwise than it was.
Result<std::string> checked(std::string text, Value before, const std::vector<std::string>& path,
                            const std::vector<Setting>& settings) {
  auto after = read(text);
  if (after.ok()) {
    take_out(before, path, 0, settings);
    take_out(*after, path, 0, settings);
    if (*after == before) return text;
  }
  return by_hand();
}

}  // namespace

Result<std::string> set_in_json(std::string_view given, const std::vector<std::string>& path,
                                const std::vector<Setting>& settings) {
  if (given.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return written(nested(path, 0, settings), "") + "\n";
  WEFT_TRY(const Value before, read(given));
  std::string text(given);
  std::optional<ObjectText> object = object_at(text, behind_space(text, 0));
  for (std::size_t i = 0; object && i < path.size(); ++i) {
    const Member* member = find(*object, path[i]);
    if (member == nullptr) {
      insert(text, *object, path[i], nested(path, i + 1, settings));
      return checked(std::move(text), before, path, settings);
    }
    if (text[member->begin] != '{') return invalid_argument("\"" + path[i] + "\" of the file is no object");
    object = object_at(text, member->begin);
  }
  for (const Setting& one : settings) {
    if (object) object = object_at(text, object->open);
    if (!object) return by_hand();
    if (const Member* member = find(*object, one.name))
      text.replace(member->begin, member->end - member->begin, to_json(one.value));
    else
      insert(text, *object, one.name, one.value);
  }
  return checked(std::move(text), before, path, settings);
}

namespace {

// A text of TOML is written as one of JSON is.
std::string toml_of(const Value& value) { return to_json(value); }

Result<toml::table> read_toml(const std::string& text) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    return invalid_argument("the file cannot be read: " + std::string(error.description()) + " in line " +
                            std::to_string(error.source().begin.line));
  }
}

std::string header_of(const std::vector<std::string>& path) {
  std::string header = "[";
  for (const std::string& part : path) header += (header.size() == 1 ? "" : ".") + part;
  return header + "]";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The table as it stands below a header of its own; null where there is none.
const toml::table* table_at(const toml::table& root, const std::vector<std::string>& path) {
  const toml::table* table = &root;
  for (const std::string& part : path) {
    const toml::node* found = table->get(part);
    table = found == nullptr ? nullptr : found->as_table();
    if (table == nullptr) return nullptr;
  }
  return table;
}

}  // namespace

Result<std::string> set_in_toml(std::string_view given, const std::vector<std::string>& path,
                                const std::vector<Setting>& settings) {
  const std::string text(given), header = header_of(path);
  WEFT_TRY(const toml::table root, read_toml(text));
  const toml::table* table = table_at(root, path);
  if (table == nullptr) {
    std::string added = text.empty() || text.ends_with('\n') ? "" : "\n";
    added += (text.empty() ? "" : "\n") + header + "\n";
    for (const Setting& one : settings) added += one.name + " = " + toml_of(one.value) + "\n";
    WEFT_TRY(const toml::table after, read_toml(text + added));
    if (table_at(after, path) == nullptr) return invalid_argument("the file has no place for " + header);
    return text + added;
  }
  if (table->is_inline()) return invalid_argument(header + " stands on one line of the file", "change it by hand");
  std::vector<std::string> lines = lines_of(text);
  // From the last to the first, so that the lines of those before stay where they are.
  std::vector<std::string> missing;
  std::vector<std::pair<std::size_t, const Setting*>> there;
  for (const Setting& one : settings) {
    const toml::node* value = table->get(one.name);
    if (value == nullptr)
      missing.push_back(one.name + " = " + toml_of(one.value));
    else
      there.emplace_back(value->source().begin.line, &one);
  }
  std::sort(there.rbegin(), there.rend());
  for (const auto& [line, one] : there) {
    const std::size_t last = std::max<std::size_t>(line, table->get(one->name)->source().end.line);
    using Offset = std::vector<std::string>::difference_type;
    lines[line - 1] = one->name + " = " + toml_of(one->value);
    lines.erase(lines.begin() + static_cast<Offset>(line),
                lines.begin() + static_cast<Offset>(std::min(last, lines.size())));
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(table->source().begin.line), missing.begin(), missing.end());
  const std::string changed = joined(lines);
  // Nothing but these settings may be otherwise.
  WEFT_TRY(toml::table after, read_toml(changed));
  toml::table wanted = root;
  for (toml::table* one : {&after, &wanted}) {
    auto* inner = const_cast<toml::table*>(table_at(*one, path));
    if (inner == nullptr) return invalid_argument("the file cannot be changed safely", "change it by hand: " + header);
    for (const Setting& setting : settings) inner->erase(setting.name);
  }
  if (after != wanted) return invalid_argument("the file cannot be changed safely", "change it by hand: " + header);
  return changed;
}

}  // namespace weft::mcp
