#include "surface/api/query_check.h"

#include <algorithm>

#include "base/edit_distance.h"

namespace weft {
namespace {

constexpr std::size_t kShown = 80;  // bytes of a name that errors repeat

std::vector<std::string> known_names(const Operation& operation, std::string_view method) {
  std::vector<std::string> names;
  for (const Parameter& one : operation.query) names.push_back(one.name);
  if (operation.whose == Whose::kNobody) return names;
  // Elsewhere the body says whose memory is meant.
  const bool names_owner = method == "GET" || method == "HEAD" || method == "DELETE";
  if (names_owner) names.insert(names.end(), {"user", "group"});
  if (operation.whose == Whose::kStory) names.emplace_back("world");
  return names;
}

std::string told(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Error unknown(const std::string& name, const std::vector<std::string>& known, const Operation& operation) {
  const std::string what =
      "there is no parameter \"" + name.substr(0, kShown) + "\" of " + operation.method + " " + operation.path;
  if (known.empty()) return invalid_argument(what, "it takes none");
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(a, name.substr(0, kShown)) < edit_distance(b, name.substr(0, kShown));
  });
  const bool near = edit_distance(*nearest, name.substr(0, kShown)) <= 2;
  return invalid_argument(what, (near ? "did you mean \"" + *nearest + "\"? " : "") + "known are: " + told(known));
}

}  // namespace

Status check_query(const Operation& operation, const http::Request& request) {
  if (request.query.empty()) return {};
  const auto known = known_names(operation, request.method);
  for (const auto& [name, value] : request.query)
    if (std::find(known.begin(), known.end(), name) == known.end()) return unknown(name, known, operation);
  const auto repeated = http::repeated_name(request.query_text);
  if (!repeated) return {};
  return invalid_argument("the parameter \"" + repeated->substr(0, kShown) + "\" is there more than once",
                          "say it once, since only one can hold");
}

}  // namespace weft
