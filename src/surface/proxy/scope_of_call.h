#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/sync.h"
#include "surface/proxy/request.h"
#include "weft/engine.h"

namespace weft::proxy {

/// Finds the session of a call whose client names none. Chat clients resend the whole conversation and give it no id,
/// so it is known by its beginning: a hash of the scope and the user's first message. Two conversations that both begin
/// with "hello" are told apart by the first answer; a call that holds nothing but a first message which was already
/// answered long ago, or led to a conversation, begins a new session, and only soon afterwards counts as "answer
/// again". Safe from any thread.
class SessionFinder {
 public:
  SessionFinder(Engine& engine, const Clock& clock) : engine_(engine), clock_(clock) {}

  Result<SessionId> find(const RequestContext& request, const std::vector<Message>& messages);

 private:
  Result<std::size_t> count_sessions(const RequestContext& request, const std::string& base);
  Result<bool> is_over(const RequestContext& request, const SessionId& session);
  Result<std::uint64_t> first_reply_of(const RequestContext& request, const SessionId& session, bool fresh);
  Result<SessionId> match_reply(const RequestContext& request, const std::string& base, std::size_t count,
                                std::uint64_t reply);

  Engine& engine_;
  const Clock& clock_;
  Sync<std::map<std::string, std::size_t>> counts_;         // by base: sessions that begin so
  Sync<std::map<std::string, std::uint64_t>> replies_;      // by scope and session: the first answer
};

/// The session that the headers or the body name, else the one that `finder` finds. Fails for an id that is none.
Result<SessionId> session_of_call(const RequestContext& request, const Names& headers, const ChatCall& call,
                                  SessionFinder& finder);

}  // namespace weft::proxy
