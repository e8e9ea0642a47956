// What search tools of others give, as sources.
#include "agent/research_found.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/research_sources.h"
#include "agent/research_text.h"
#include "base/strings.h"
#include "text/json_lookup.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::json;
using Names = std::vector<const char*>;

constexpr std::size_t kMostResults = 20, kMostText = 200'000;
const Names kAddresses{"url", "link", "href", "uri", "source", "path", "doi", "id"};
const Names kTitles{"title", "name", "heading"};
const Names kTexts{"text",    "content",     "body",    "markdown", "raw_content",
                   "snippet", "description", "summary", "abstract", "extract"};
const Names kDates{"date", "published", "published_date", "publishedDate", "page_age", "updated", "year"};
const Names kLists{"results", "items", "documents", "organic", "web", "data", "hits", "entries", "pages"};
const Names kQueries{"query", "q", "search", "search_query", "keywords", "question", "text", "input", "term"};
const Names kToRead{"url", "uri", "link", "path", "address", "id", "document", "page"};

std::string first_text(const Json& one, const Names& names) {
  for (const char* name : names) {
    const auto at = one.find(name);
    if (at != one.end() && at->is_string() && !at->get_ref<const std::string&>().empty()) return at->get<std::string>();
    if (at != one.end() && at->is_number_integer()) return at->dump();
  }
  return {};
}

// A list of objects, wherever it stands within two levels.
const Json* list_in(const Json& json, int depth = 0) {
  if (json.is_array()) return !json.empty() && json.front().is_object() ? &json : nullptr;
  if (!json.is_object() || depth > 2) return nullptr;
  for (const char* name : kLists)
    if (const auto at = json.find(name); at != json.end())
      if (const Json* found = list_in(*at, depth + 1)) return found;
  return nullptr;
}

FoundSource source_of(const Json& one, const std::string& tool, Provenance provenance, const std::string& asked) {
  std::string origin = first_text(one, kAddresses);
  if (origin.empty()) origin = asked;
  const std::string text = first_text(one, kTexts);
  FoundSource source = read_source(origin, std::string_view(text).substr(0, kMostText));
  if (const std::string title = first_text(one, kTitles); !title.empty()) source.title = title;
  if (const std::string date = first_text(one, kDates); !date.empty()) source.date = date;
  source.kind = kind_of_origin(origin);
  source.tool = tool;
  source.provenance = provenance;
  source.whole = !asked.empty();
  // Lines of a snippet are nobody's lines.
  if (origin.find("://") != std::string::npos || !source.whole)
    for (FoundPart& part : source.parts) part.first_line = part.last_line = 0;
  return source;
}

std::size_t end_of_address(std::string_view text, std::size_t at) {
  const auto end = text.find_first_of(" \t\r\n\"'<>()[]{}|`", at);
  std::size_t last = end == std::string_view::npos ? text.size() : end;
  while (last > at && std::string_view(".,;:!?").find(text[last - 1]) != std::string_view::npos) --last;
  return last;
}

// Text in which results follow each other: each paragraph belongs to the address in it, or to the one before.
std::vector<FoundSource> sources_in_text(std::string_view text, const std::string& tool, Provenance provenance) {
  std::vector<FoundSource> found;
  std::vector<std::string> bodies;
  std::string pending;
  for (const std::string_view line : lines_of(text)) {
    const auto at = std::min(line.find("http://"), line.find("https://"));
    if (at != std::string_view::npos && found.size() < kMostResults) {
      FoundSource source;
      source.origin = std::string(line.substr(at, end_of_address(line, at) - at));
      found.push_back(std::move(source));
      bodies.push_back(std::exchange(pending, {}) + std::string(line.substr(0, at)) + "\n");
      continue;
    }
    // What stands behind a blank line begins the next result.
    if (trimmed(line).empty() && !bodies.empty()) {
      bodies.back() += "\n" + std::exchange(pending, {});
      continue;
    }
    pending += std::string(line) + "\n";
  }
  if (!bodies.empty()) bodies.back() += pending;
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = source_of({{"url", found[i].origin}, {"text", bodies[i]}}, tool, provenance, {});
  return found;
}

}  // namespace

FoundSources read_found(std::string_view output, const std::string& tool, Provenance provenance,
                        const std::string& asked) {
  FoundSources found;
  const Json json = lenient_json<Json>(output);
  if (const Json* list = json.is_discarded() ? nullptr : list_in(json)) {
    for (const Json& one : *list) {
      if (found.sources.size() >= kMostResults) break;
      if (!one.is_object()) continue;
      FoundSource source = source_of(one, tool, provenance, asked);
      if (!source.origin.empty()) found.sources.push_back(std::move(source));
    }
    return found;
  }
  if (json.is_object()) {
    FoundSource source = source_of(json, tool, provenance, asked);
    if (!source.origin.empty() && !source.parts.empty()) found.sources.push_back(std::move(source));
    return found;
  }
  if (!asked.empty())
    found.sources.push_back(source_of({{"text", std::string(output.substr(0, kMostText))}}, tool, provenance, asked));
  else
    found.sources = sources_in_text(output.substr(0, kMostText), tool, provenance);
  return found;
}

std::string arguments_for(const ToolInfo& tool, const std::string& value, bool address) {
  const Json schema = lenient_json<Json>(tool.parameters.empty() ? "{}" : tool.parameters);
  if (!schema.is_object() || !schema.contains("properties") || !schema["properties"].is_object()) return {};
  const Json& properties = schema["properties"];
  const auto takes_text = [&](const std::string& name) {
    const auto at = properties.find(name);
    return at != properties.end() && at->is_object() && at->value("type", Json("string")) == "string";
  };
  for (const char* name : address ? kToRead : kQueries) {
    if (takes_text(name)) return Json{{name, value}}.dump();
    const auto at = properties.find(name);
    if (at != properties.end() && at->is_object() && at->value("type", Json()) == "array")
      return Json{{name, {value}}}.dump();
  }
  std::string only;
  if (schema.contains("required") && schema["required"].is_array())
    for (const Json& one : schema["required"]) {
      if (!one.is_string() || !takes_text(one.get<std::string>())) continue;
      if (!only.empty()) return {};
      only = one.get<std::string>();
    }
  return only.empty() ? std::string() : Json{{only, value}}.dump();
}

}  // namespace weft
