#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/call_context.h"
#include "base/clock.h"
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

  /// Hands over the model's answer to a call whose history begins so; see `opening_of`. Only scope and `said_at` of
  /// `request` are used.
  void observe_later(const RequestContext& request, const SessionId& session, Message message, std::uint64_t opening);
  /// A whole conversation, as `Session::sync` takes it.
  void sync_later(const RequestContext& request, const SessionId& session, std::vector<Message> messages);

  /// A digest of the first message that is said in a conversation; 0: nothing is known of it.
  static std::uint64_t opening_of(std::span<const Message> messages);

  /// What a call shows of its conversation.
  struct Conversation {
    SessionId session = {};                    ///< that the client names; empty: none
    MessageId previous = {};                   ///< that the call goes on from; empty: none
    std::span<const Message> history = {};
  };
  /// Waits until the engine has what was given of this conversation before the call: of its session, the message that
  /// it goes on from, and where no session is named whatever begins as its history does or has its last message there.
  /// Other conversations of the scope are not waited for. False: the deadline passed. Answers that the history holds
  /// and that still wait are then dropped, since they come with the history.
  bool wait_for(const Scope& scope, const Conversation& conversation, const Deadline& deadline);

 private:
  struct Entry {
    Scope scope;
    std::optional<std::chrono::steady_clock::time_point> said_at;
    ScopeKey owner;
    SessionId session;
    MessageId id;  ///< of an answer that has one
    std::uint64_t opening, last;  ///< digests of the conversation's first and of the entry's last message
    bool is_answer;
    std::uint64_t number = 0;  ///< in the order in which they were given
    CallContext context;  ///< of the request that said it
    std::function<Status(const RequestContext&)> hand_over;
  };
  void add(Entry entry);
  void hand_over(const Entry& entry, bool ending);
  void run();

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Entry> entries_;  // the first one stays while it is handed over
  std::uint64_t added_ = 0;
  bool handing_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace weft::proxy
