#pragma once

#include <cstdint>
#include <string>

#include "weft/ids.h"

namespace weft {

/// The kinds of log entries. A store holds their numbers: new kinds are added at the end.
enum class LogKind {
  kMessage = 0,   ///< a message was kept; the body is its number (`MessageRow::seq`) in decimal digits
  kDocument = 1,  ///< a document that a file shows has a new version; the body is its kind, "/", its id
  kEnded = 2,     ///< a client ended a session's turn; the body is empty
  kAnswered = 3,  ///< a question was answered by its owner; the body is its id
  kTopicClosed = 4,  ///< a topic of a session was closed; the body is its id
  kTaskClosed = 5,   ///< a task is over; the body is the id of its report (`TaskReport::id`)
  kTurn = 6,         ///< a turn was placed in a topic; the body is the id of its block
};

/// An entry of a scope's log: something happened that background work follows.
struct LogEntry {
  ScopeKey scope;
  std::int64_t seq = 0;  ///< 1, 2, 3, … within the scope; the store gives it when the entry is written
  LogKind kind = LogKind::kMessage;
  SessionId session;  ///< empty: the entry belongs to no session
  std::string body;   ///< its form depends on the kind
  std::int64_t time_ms = 0;  ///< when it was written, Unix milliseconds
};

}  // namespace weft
