#pragma once

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/json.h"

// Reads Filament back, and wraps it as templates do; in the plainest way there is: tags, three entities and quotes,
// then YAML by yaml-cpp.

namespace weft::test {

struct Element {
  std::string name, attributes, text;  ///< `text` is what stands directly in it, entities resolved
  std::vector<Element> children;

  const Element* child(std::string_view wanted) const {
    for (const Element& each : children) {
      if (each.name == wanted) return &each;
    }
    return nullptr;
  }
};

/// A `<context_layer type="deterministic">` of sections, whose data is escaped already.
inline std::string layer_of(std::initializer_list<std::pair<std::string_view, std::string>> sections) {
  std::string text;
  for (const auto& [name, data] : sections) {
    if (!text.empty()) text += "\n";
    text.append("  <").append(name).append(">\n").append(data).append("  </").append(name).append(">\n");
  }
  return "<context_layer type=\"deterministic\">\n" + text + "</context_layer>";
}

inline std::string resolve_entities(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t step = 1;
    char c = text[at];
    for (const auto& [entity, meaning] : kEntities) {
      if (text.substr(at).starts_with(entity)) {
        c = meaning;
        step = entity.size();
      }
    }
    out += c;
    at += step;
  }
  return out;
}

/// The elements at the top; nothing where a tag is open, closed twice or malformed.
inline std::optional<std::vector<Element>> read_markup(std::string_view text) {
  std::vector<Element> open(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t tag = text.find('<', at);
    open.back().text += resolve_entities(text.substr(at, tag == std::string_view::npos ? tag : tag - at));
    if (tag == std::string_view::npos) break;
    const std::size_t end = text.find('>', tag);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inside.starts_with('/')) {
      if (open.size() < 2 || inside.substr(1) != open.back().name) return std::nullopt;
      Element done = std::move(open.back());
      open.pop_back();
      open.back().children.push_back(std::move(done));
    } else {
      const std::size_t space = inside.find(' ');
      Element next;
      next.name = inside.substr(0, space);
      if (space != std::string_view::npos) next.attributes = inside.substr(space + 1);
      open.push_back(std::move(next));
    }
  }
  if (open.size() != 1) return std::nullopt;
  return std::move(open.front().children);
}

inline Value plain_scalar(const std::string& text) {
  if (text == "null") return {};
  if (text == "true" || text == "false") return text == "true";
  if (text == ".inf" || text == "-.inf") {
    return text == ".inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  if (const auto [stop, fault] = std::from_chars(text.data(), end, whole); stop == end && fault == std::errc())
    return whole;
  double number = 0;
  if (const auto [stop, fault] = std::from_chars(text.data(), end, number); stop == end && fault == std::errc())
    return number;
  return text;
}

inline Value read_node(const YAML::Node& node) {
  if (node.IsSequence()) {
    ValueList list;
    for (const YAML::Node& element : node) list.push_back(read_node(element));
    return list;
  }
  if (node.IsMap()) {
    ValueObject members;
    for (const auto& entry : node) members.emplace_back(entry.first.Scalar(), read_node(entry.second));
    return members;
  }
  if (node.IsNull()) return {};
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  const std::size_t bracket = text.find(" (");
  if (bracket == std::string::npos || text.back() != ')') return plain_scalar(text);
  return ValueObject{{"value", plain_scalar(text.substr(0, bracket))},
                     {"description", text.substr(bracket + 2, text.size() - bracket - 3)}};
}

inline Value read_yaml(const std::string& text) { return read_node(YAML::Load(text)); }

}  // namespace weft::test
