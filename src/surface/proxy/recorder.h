#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "weft/engine.h"

namespace weft::proxy {

/// Hands what was said to the engine behind the client's back, so that nobody waits for it: in order, on one thread.
/// Safe from any thread.
class Recorder {
 public:
  explicit Recorder(Engine& engine);
  ~Recorder();  ///< first hands over what is left, without waiting for vectors
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// What the model has answered.
  void observe_later(const Scope& scope, const SessionId& session, Message message);
  /// A whole conversation, as `Session::sync` takes it.
  void sync_later(const Scope& scope, const SessionId& session, std::vector<Message> messages);

  /// Waits until all that was given of the scope before is with the engine.
  void wait_for(const Scope& scope);

 private:
  struct Entry {
    Scope scope;
    std::string cause;  ///< the request that said it, in traces
    std::function<Status(const RequestContext&)> hand_over;
  };
  void add(const Scope& scope, std::function<Status(const RequestContext&)> hand_over);
  void run();

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  std::map<ScopeKey, std::size_t> open_;  // by scope: what is not yet with the engine
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace weft::proxy
