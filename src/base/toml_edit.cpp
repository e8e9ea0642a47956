#include "base/toml_edit.h"

#include <vector>

#include "base/strings.h"
#include "weft/config.h"

namespace weft {
namespace {

// The name in "[name]", with or without a comment behind it; nothing for another line.
std::string_view table_name(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('[') || line.starts_with("[[")) return {};
  return trimmed(line.substr(1, line.find(']') - 1));
}

// Where the value of `key = value` begins; npos for another line.
std::size_t value_place(std::string_view line, std::string_view key) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos || trimmed(line.substr(0, equals)) != key) return std::string_view::npos;
  const auto value = line.find_first_not_of(kBlanks, equals + 1);
  return value == std::string_view::npos ? line.size() : value;
}

// What stands behind a text value: white space and a comment.
std::string_view behind_value(std::string_view rest) {
  if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return {};
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '\\' && rest[0] == '"')
      ++at;
    else if (rest[at] == rest[0])
      return rest.substr(at + 1);
  }
  return {};
}

std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::string edited(std::vector<std::string> lines, std::string_view table, std::string_view key,
                   const std::string& value) {
  const std::string dotted = std::string(table) + "." + std::string(key);
  const std::string assignment = std::string(key) + " = " + value;
  std::string_view here;
  std::size_t head = lines.size();
  bool placed = false;
  for (std::size_t i = 0; i < lines.size() && !placed; ++i) {
    if (const auto name = table_name(lines[i]); !name.empty()) here = name;
    if (here == table && head == lines.size()) head = i;
    const std::string_view wanted = here.empty() ? std::string_view(dotted) : key;
    if (!here.empty() && here != table) continue;
    const auto place = value_place(lines[i], wanted);
    if (place == std::string_view::npos) continue;
    const std::string rest(behind_value(std::string_view(lines[i]).substr(place)));
    lines[i] = lines[i].substr(0, place) + value + rest;
    placed = true;
  }
  if (!placed && head < lines.size()) {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(head) + 1, assignment);
  } else if (!placed) {
    if (!lines.empty() && !trimmed(lines.back()).empty()) lines.emplace_back();
    lines.push_back("[" + std::string(table) + "]");
    lines.push_back(assignment);
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

Result<std::string> set_toml_text(std::string_view toml, std::string_view table, std::string_view key,
                                  std::string_view value) {
  const auto lines = lines_of(toml);
  std::string text = edited({lines.begin(), lines.end()}, table, key, quoted(value));
  const std::string name = std::string(table) + "." + std::string(key);
  const std::string hint = "set " + name + " = " + quoted(value) + " by hand";
  Config config;
  if (const Status read = apply_toml(config, text, "weft.toml"); !read.ok())
    return invalid_argument(read.error().message, hint);
  WEFT_TRY(const std::string found, get_setting(config, name));
  if (found != value)
    return invalid_argument("weft.toml: " + name + " stands in a form that is not changed here", hint);
  return text;
}

}  // namespace weft
