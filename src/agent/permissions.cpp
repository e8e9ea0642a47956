#include "agent/permissions.h"

#include <algorithm>

#include "base/strings.h"

namespace weft {

bool fits_pattern(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool fits_any(std::span<const std::string> patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& one) { return fits_pattern(one, name); });
}

Status Permissions::add(std::string_view list) {
  List made;
  while (!list.empty()) {
    const std::string_view one = trimmed(list.substr(0, list.find(',')));
    list.remove_prefix(
        std::min(list.size(), list.find(',') == std::string_view::npos ? list.size() : list.find(',') + 1));
    if (one.empty()) continue;
    const auto equals = one.find('=');
    const std::string_view name = trimmed(one.substr(0, equals));
    const std::string_view word = equals == std::string_view::npos ? "" : trimmed(one.substr(equals + 1));
    if (name.empty() || (word != "allow" && word != "ask" && word != "deny"))
      return invalid_argument("\"" + std::string(one) + "\" is no permission",
                              "write TOOL=allow, TOOL=ask or TOOL=deny; TOOL may end in *");
    made.emplace_back(name, word == "allow" ? Permission::kAllow
                            : word == "ask" ? Permission::kAsk
                                            : Permission::kDeny);
  }
  if (!made.empty()) lists_.push_back(std::move(made));
  return {};
}

Permission Permissions::of(std::string_view tool) const {
  Permission strictest = Permission::kAllow;
  for (const List& list : lists_) {
    const std::pair<std::string, Permission>* best = nullptr;
    for (const auto& one : list)
      if (fits_pattern(one.first, tool) && (best == nullptr || one.first.size() >= best->first.size())) best = &one;
    if (best != nullptr) strictest = std::max(strictest, best->second);
  }
  return strictest;
}

}  // namespace weft
