#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "surface/proxy/request.h"
#include "surface/proxy/weave.h"
#include "weft/engine.h"

namespace weft::proxy {

/// The sessions of calls whose clients name none: the engine tells which conversation a history belongs to. While a
/// call is being answered its session is its own: two chats that begin alike, or one history that several models are
/// asked with, do not run into each other. Safe from any thread.
class SessionFinder {
 public:
  explicit SessionFinder(Engine& engine) : engine_(engine) {}

  /// A session that is a call's own as long as this lives, or until `release`. Copies share it.
  class Held {
   public:
    const SessionId& session() const { return session_; }
    /// The answer is there: the next call of the conversation may come at any moment.
    void release() { place_.reset(); }

   private:
    friend class SessionFinder;
    SessionId session_;
    std::shared_ptr<void> place_;
  };

  /// `history`: what memory has of the call's messages.
  Result<Held> find(const RequestContext& request, const std::vector<Message>& history);

  /// A session that the client names; nobody's own.
  static Held named(SessionId session);

 private:
  Status wait_for_answer(const RequestContext& request, const std::vector<Message>& history);
  std::vector<SessionId> busy_in(const ScopeKey& scope) const;

  Engine& engine_;
  std::mutex finding_;  ///< held from asking for a session until it is the call's own
  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::multimap<ScopeKey, SessionId> busy_;  // by scope
};

/// Whether a session's name is one that was given to a conversation whose client named none.
bool is_found_session(const SessionId& session);

/// The session that the headers or the body name, else the one that `finder` finds. Fails for an id that is none.
Result<SessionFinder::Held> session_of_call(const RequestContext& request, const Names& headers, ChatCall& call,
                                            SessionFinder& finder);

/// One call with everything that was found out about it.
struct Turn {
  ChatCall call = {};
  CallMemory memory = CallMemory::kOn;
  RequestContext request;
  SessionFinder::Held held;
  SessionId session;
  std::vector<Message> messages = {};  ///< what the model gets, once woven
  CallLimits limits;
  std::int64_t context_tokens = 0;
  std::vector<std::string> tools = {};  ///< that the model is offered; empty: all
  std::int64_t window = 0;  ///< that the context was made for
  std::uint64_t opening = 0;  ///< of its conversation, see `Recorder::opening_of`
  bool remembered = false;  ///< its conversation is with the engine, or on the way
  bool woven = false;
  TemplateNeeds needs = {};                ///< of the model's template, as far as refusals have told them
  bool shortened = false, joined = false;  ///< what a refusal has changed
  std::string retried = {};                ///< why the call was made once more; empty: it was not
};

}  // namespace weft::proxy
