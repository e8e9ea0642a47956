#include <algorithm>
#include <sstream>

#include <toml++/toml.h>

#include "surface/mcp/config_text.h"

namespace weft::mcp {
namespace {

// A text of TOML is written as one of JSON is.
std::string written(const Value& value) { return to_json(value); }

Result<toml::table> read(const std::string& text) {
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
  WEFT_TRY(const toml::table root, read(text));
  const toml::table* table = table_at(root, path);
  if (table == nullptr) {
    std::string added = text.empty() || text.ends_with('\n') ? "" : "\n";
    added += (text.empty() ? "" : "\n") + header + "\n";
    for (const Setting& one : settings) added += one.name + " = " + written(one.value) + "\n";
    WEFT_TRY(const toml::table after, read(text + added));
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
      missing.push_back(one.name + " = " + written(one.value));
    else
      there.emplace_back(value->source().begin.line, &one);
  }
  std::sort(there.rbegin(), there.rend());
  for (const auto& [line, one] : there) {
    const std::size_t last = std::max<std::size_t>(line, table->get(one->name)->source().end.line);
    using Offset = std::vector<std::string>::difference_type;
    lines[line - 1] = one->name + " = " + written(one->value);
    lines.erase(lines.begin() + static_cast<Offset>(line),
                lines.begin() + static_cast<Offset>(std::min(last, lines.size())));
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(table->source().begin.line), missing.begin(), missing.end());
  const std::string changed = joined(lines);
  // Nothing but these settings may be otherwise.
  WEFT_TRY(toml::table after, read(changed));
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
