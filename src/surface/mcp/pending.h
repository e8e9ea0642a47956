#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "surface/mcp/rpc.h"

namespace weft::mcp {

/// What the server has asked its client and waits for. Safe from many threads.
class Pending {
 public:
  /// A new id, as JSON: its answer is waited for from now on.
  std::string begin();
  /// Waits for the answer. kTimeout; kCancelled where `cancel` is stopped or `give_up` was called; kInvalidArgument
  /// where the client refused.
  Result<Value> wait(const std::string& id, std::chrono::milliseconds patience, std::stop_token cancel);
  /// Takes an answer; what nobody waits for is passed over.
  void take(RpcMessage response);
  /// No answer can come any more.
  void give_up();

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::optional<RpcMessage>> waiting_;
  std::uint64_t next_ = 1;
  bool given_up_ = false;
};

}  // namespace weft::mcp
