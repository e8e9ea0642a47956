#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/session_table.h"
#include "flow/stream/conversation.h"
#include "ports/store/store.h"
#include "weft/engine.h"

namespace weft {

/// Finds the conversation of a client that resends its history and names no session, among those that were found or
/// begun so before: their sessions are called "chat-…". What decides is where the history parts from what is known.
/// One that goes on, or that replaces the newest turn, belongs to the conversation; any other one is a new
/// conversation, also where it begins alike. Costs a few look-ups, whatever the number of messages and sessions.
class Conversations {
 public:
  Conversations(Store& store, SessionTable& sessions, const Clock& clock)
      : store_(store), sessions_(sessions), clock_(clock) {}

  /// The session of a history without system messages. `chains`: of its messages, see `chained`. One that is `busy`,
  /// since it is being answered, does not count as the history's own.
  Result<SessionId> find(const ScopeKey& scope, std::span<const Message> spoken, std::vector<std::uint64_t> chains,
                         std::span<const SessionId> busy);

 private:
  struct Search {
    const ScopeKey& scope;
    std::span<const Message> spoken;
    std::span<const SessionId> busy;
    std::vector<HistoryMark> marks;
    std::vector<std::uint64_t> chains;
  };

  Result<std::optional<SessionId>> by_beginning(const Search& search);
  Result<std::optional<SessionId>> by_head(const Search& search, const std::vector<MessageRow>& rows);
  Result<bool> is_branch_of(const Search& search, const std::vector<MessageRow>& rows, const MessageRow& row,
                            std::size_t known);
  Result<std::optional<SessionId>> by_end(const Search& search);
  Result<bool> asks_again(const Search& search, const SessionId& session);
  Result<SessionId> new_session(const Search& search);

  Store& store_;
  SessionTable& sessions_;
  const Clock& clock_;
};

}  // namespace weft
