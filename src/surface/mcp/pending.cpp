#include "surface/mcp/pending.h"

namespace weft::mcp {
std::string Pending::begin() {
  const std::lock_guard lock(mutex_);
  std::string id = "\"weft-" + std::to_string(next_++) + "\"";
  waiting_[id];
  return id;
}

Result<Value> Pending::wait(const std::string& id, std::chrono::milliseconds patience, std::stop_token cancel) {
  std::unique_lock lock(mutex_);
  const bool come = changed_.wait_for(lock, cancel, patience, [&] { return given_up_ || waiting_[id].has_value(); });
  std::optional<RpcMessage> answer = std::move(waiting_[id]);
  waiting_.erase(id);
  if (answer && answer->failed) return invalid_argument("the client refused to ask its user");
  if (answer) return std::move(answer->result);
  if (come || cancel.stop_requested()) return cancelled("the client is gone");
  return timed_out("the user did not answer in time");
}

void Pending::take(RpcMessage response) {
  const std::lock_guard lock(mutex_);
  const auto asked = waiting_.find(response.id);
  if (asked == waiting_.end()) return;
  asked->second = std::move(response);
  changed_.notify_all();
}

void Pending::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

}  // namespace weft::mcp
