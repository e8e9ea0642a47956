#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "weft/engine.h"

namespace weft::proxy {

/// Hands the model's answers to the engine behind the client's back, so that nobody waits for it, in order, on one
/// thread. Safe from any thread.
class Recorder {
 public:
  explicit Recorder(Engine& engine);
  ~Recorder();  ///< first hands over what is left
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void observe_later(const Scope& scope, const SessionId& session, Message message);

  /// Waits until all answers of the scope given before are with the engine.
  void wait_for(const Scope& scope);

 private:
  struct Entry {
    Scope scope;
    SessionId session;
    Message message;
  };
  void run();

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  std::map<std::string, std::size_t> open_;  // by scope: answers not yet with the engine
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace weft::proxy
