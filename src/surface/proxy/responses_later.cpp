#include "surface/proxy/responses_later.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/json_lookup.h"

namespace weft::proxy {

void ResponsesLater::note(std::string_view response, const Scope& scope, const SessionId& session) {
  const auto json = nlohmann::json::parse(response, nullptr, false);
  const std::string status = text_of(member(json, "status")), id = text_of(member(json, "id"));
  if (id.empty() || (status != "queued" && status != "in_progress")) return;
  const std::lock_guard lock(mutex_);
  open_.emplace_back(id, Place{scope, session});
  if (open_.size() > kMost) open_.pop_front();
}

std::optional<ResponsesLater::Place> ResponsesLater::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(open_.begin(), open_.end(), [&](const auto& one) { return one.first == id; });
  return at == open_.end() ? std::nullopt : std::optional(at->second);
}

void ResponsesLater::forget(std::string_view id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(open_, [&](const auto& one) { return one.first == id; });
}

}  // namespace weft::proxy
