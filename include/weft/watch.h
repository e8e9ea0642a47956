#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/block.h"
#include "weft/context.h"
#include "weft/ids.h"
#include "weft/time.h"

namespace weft {

/// One conversation, as a list of them shows it.
struct SessionSummary {
  SessionId session;
  std::string title;  ///< the beginning of what was said first
  std::string last;   ///< the beginning of what was said last
  Time started, newest;
  std::size_t turns = 0, topics = 0;  ///< of the living branch
  std::int64_t tokens = 0;
  bool open = false;  ///< its last turn waits for an answer
};

/// From where on a list of conversations is wanted. Numbers are those of messages, see `StoredMessage::sequence`.
struct SessionsPlace {
  std::int64_t as_of = 0;  ///< the newest one as the list was begun: what was said since moves no conversation; 0: now
  std::int64_t before = 0;  ///< the newest one of the last conversation that is known
  SessionId last;  ///< that conversation; empty: from the beginning
};

struct SessionsPage {
  std::vector<SessionSummary> sessions;
  std::optional<SessionsPlace> next;  ///< none: that is all
};

/// A turn of a conversation, with what was decided about it.
struct WatchedTurn {
  BlockId block;
  TopicId topic;  ///< empty until it is decided, which follows when the turn is closed
  BlockStatus status = BlockStatus::kOpen;
  std::int64_t first = 0, last = 0;  ///< numbers of its first and last message, see StoredMessage::sequence
  std::int64_t tokens = 0;
  Time started, ended;
  std::string asked;  ///< the beginning of its first message
  std::string decision;  ///< a `Decision` as JSON; empty: none was kept
};

/// A topic of a conversation.
struct WatchedTopic {
  TopicId topic;
  bool open = false;
  std::optional<FlushReason> reason;  ///< why it was closed
  std::size_t turns = 0;
  std::int64_t tokens = 0;
  Time started, newest;
  std::string lead;  ///< what an earlier part told, standing at its head
  bool written = false;  ///< its memories are written
};

/// How a conversation was cut into topics: its newest turns, oldest first, and the topics that they are in.
struct WatchedTurns {
  SessionId session;
  std::vector<WatchedTurn> turns;
  std::vector<WatchedTopic> topics;
};

/// A prompt that was woven since the engine was opened.
struct PastContext {
  std::uint64_t id = 0;  ///< grows by one a prompt
  Time time;
  SessionId session;
  std::string model;  ///< that the caller named
  std::string input;  ///< the beginning of what was asked
  ContextReport report;
};

/// The kinds of happenings. Prompts, jobs and runs are live: see `Happening::id`.
enum class HappeningKind {
  kMessage,  ///< a message was kept: `StoredMessage`
  kTurn,  ///< a turn was placed in a topic: `Decision`
  kTopic,  ///< a topic was closed: `Flushed`
  kEnded,  ///< a client ended a session's turn: an empty object
  kAnswer,  ///< a question was answered: its id
  kTask,  ///< a task was closed: the id of its report
  kDocument,  ///< a document, such as a profile, has a new version: its kind and id
  kContext,  ///< a prompt was built: its id, tokens and how much of the prefix was kept
  kJob,  ///< the historian did a job, or failed: kind, state and attempts
  kRun,  ///< an agent took a step: `BusEvent`
};

inline constexpr std::array kHappeningKinds{HappeningKind::kMessage,  HappeningKind::kTurn,    HappeningKind::kTopic,
                                            HappeningKind::kEnded,    HappeningKind::kAnswer,  HappeningKind::kTask,
                                            HappeningKind::kDocument, HappeningKind::kContext, HappeningKind::kJob,
                                            HappeningKind::kRun};

std::string_view to_string(HappeningKind kind);
std::optional<HappeningKind> parse_happening_kind(std::string_view text);

/// Something that happened in a scope.
struct Happening {
  /// Its number in the log of the scope, which grows and is kept over restarts. 0: a live event, which only those get
  /// who follow at that moment.
  std::uint64_t id = 0;
  Time time;
  HappeningKind kind = HappeningKind::kMessage;
  std::string about;  ///< the session, or the run; empty for jobs, tasks and documents
  std::string payload;  ///< a JSON object, see `HappeningKind`; empty: what happened up to this number is not all held
};

}  // namespace weft
