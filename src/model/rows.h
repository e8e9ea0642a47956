#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/words.h"
#include "weft/block.h"
#include "weft/ids.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/time.h"
#include "weft/value.h"

namespace weft {

/// Whose memory the key of a scope names, as `Scope::key` wrote it: one of the two, the other is empty.
struct ScopeParts {
  std::string user, group;
};

ScopeParts parts_of_scope(const ScopeKey& scope);

/// Whether an id may be left out by giving an empty text, as names in a query may.
enum class IdNeed { kNeeded, kMayBeEmpty };

/// What `check_id` accepts, as a JSON Schema: of the same table. A schema counts characters and `check_id` bytes, so an
/// id of more than 256 bytes in fewer characters passes the one and not the other.
Value id_schema(IdNeed need);

/// What an erasure takes out of a scope, told to those who keep what was made of its messages.
struct ErasedMessages {
  ScopeKey scope;  ///< its key
  std::map<SessionId, std::map<std::string, Time>> messages;  ///< ids, and when they were said
  bool everything = false;
  std::optional<Time> before;  ///< all that was said before this moment
  /// Whether a text holds words of these messages. Words that fit into twelve bytes are not known by it.
  std::function<bool(std::string_view text)> repeats = [](std::string_view) { return false; };

  bool has(const SessionId& session, const std::string& message) const {
    if (everything) return true;
    const auto of = messages.find(session);
    return of != messages.end() && of->second.contains(message);
  }
  /// The sources of what was made of single messages: "SESSION/MESSAGE".
  std::set<std::string> sources() const {
    std::set<std::string> all;
    for (const auto& [session, ids] : messages)
      for (const auto& [id, time] : ids) all.insert(session.str() + "/" + id);
    return all;
  }
};

/// Task reports and reflections that go with erased messages, by their ids, told to those who learnt from them.
struct ErasedLessons {
  std::string owner;  ///< whose they are
  bool everything = false;  ///< all that was learnt from the owner goes
  std::set<std::string> reports, reflections;
  std::set<std::string> tasks;  ///< of the reports, as they were asked for
  std::function<bool(std::string_view text)> repeats = [](std::string_view) { return false; };

  bool empty() const { return !everything && reports.empty() && reflections.empty(); }
};

/// A message as it is kept. Messages of a session form a tree: an edit or a regenerated answer is a second child of the
/// same parent, and the session's head says which branch is the living one.
struct MessageRow {
  std::int64_t seq = 0;  ///< grows with each message of the workspace, see `Store::take_numbers`
  ScopeKey scope;
  SessionId session;
  std::int64_t parent = 0;  ///< seq of the message before it on its branch, 0 for the first
  std::uint64_t digest = 0;  ///< of role, content and calls: what a resent history is recognised by
  std::uint64_t chain =
      0;  ///< of all digests from the first message on to this one, see `chained`; 0: a system message
  Message message;  ///< id and time are always set
  std::int64_t tokens = 0;
  BlockId block;  ///< empty for system messages
  bool active = true;  ///< on the living branch
};

/// The chain of a message from that of the one before it (0 for the first) and its own digest. Two messages have the
/// same one where everything up to them was the same: so a whole beginning is found by one number.
constexpr std::uint64_t chained(std::uint64_t before, std::uint64_t digest) {
  std::uint64_t mixed = before * 0x9E3779B97F4A7C15ULL + digest + 1;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
  mixed ^= mixed >> 31;
  return mixed == 0 ? 1 : mixed;
}

/// A closed or open block. Its content is its messages.
struct BlockRow {
  BlockId id;
  ScopeKey scope;
  SessionId session;
  TopicId topic;  ///< empty while the block is open
  BlockStatus status = BlockStatus::kOpen;
  std::int64_t first_seq = 0, last_seq = 0;
  std::int64_t tokens = 0;
  Time started, last;
  bool active = true;
};

enum class TopicStatus { kOpen, kFlushed };

/// A topic: the buffer of blocks while it is open, the batch of the historian afterwards.
struct TopicRow {
  TopicId id;
  ScopeKey scope;
  SessionId session;
  TopicStatus status = TopicStatus::kOpen;
  FlushReason reason = FlushReason::kDrift;  ///< of a flushed one
  std::int64_t tokens = 0;
  std::int64_t blocks = 0;
  Time started, last;
  std::int64_t touched_ms = 0;  ///< engine's clock when the last block came, for the idle timer
  std::string trace;  ///< state of the topic detector, bytes
  std::string lead;  ///< running summary that leads into this topic after a relay, else empty
  bool done = false;  ///< the historian has worked it off
};

/// Which session is meant: its id is its scope's own.
using SessionKey = std::pair<ScopeKey, SessionId>;

/// Which block is meant.
struct BlockKey {
  ScopeKey scope;
  SessionId session;
  BlockId block;
};

/// Which topic is meant.
struct TopicKey {
  ScopeKey scope;
  SessionId session;
  TopicId topic;
};

/// What the engine knows of a session besides its messages.
struct SessionRow {
  ScopeKey scope;
  SessionId session;
  std::int64_t head = 0;  ///< seq of the last message of the living branch
  TopicId open_topic;  ///< empty: none
  BlockId open_block;  ///< empty: the parser is idle
  std::string system;  ///< the last system prompt seen
  bool resent = false;  ///< its client has sent known messages again: it sends its whole history each time
  std::int64_t version = 0;  ///< another one with each write, see `next_version`; 0: it is not kept yet

  /// The version that the row has once it is written. Numbers of messages are not given again, so that a session that
  /// is erased and begun anew has versions that the former one never had.
  std::int64_t next_version() const { return version > 0 ? version + 1 : (head << 20) + 1; }
};

/// An item with what the indexes need of it.
struct ItemRow {
  std::int64_t row = 0;  ///< grows with each item of the workspace; 0: it has no number yet
  ScopeKey scope;
  Item item;
  Role role = Role::kUser;  ///< who said it; of events and narratives the user
  std::string speaker;
  std::vector<Term> terms;
  std::vector<float> vector;  ///< empty until it is embedded
  std::string model;  ///< name of the embedder that made the vector
  bool active = true;
};

/// One version of a document of the engine's own: a change of a state, a quest, a compaction.
struct DocumentRow {
  ScopeKey scope;
  std::string kind;  ///< "state", "quest", "compaction", …
  std::string id;
  std::int64_t version = 1;  ///< of this document, from 1
  Time time;
  std::string author;
  std::string body;  ///< JSON
};

/// The kinds of log entries. A store holds their numbers: new kinds are added at the end.
enum class LogKind {
  kMessage = 0,  ///< a message was kept; the body is its number (`MessageRow::seq`) in decimal digits
  kDocument = 1,  ///< a document that a file shows has a new version; the body is its kind, "/", its id
  kEnded = 2,  ///< a client ended a session's turn; the body is empty
  kAnswered = 3,  ///< a question was answered by its owner; the body is its id
  kTopicClosed = 4,  ///< a topic of a session was closed; the body is its id
  kTaskClosed = 5,  ///< a task is over; the body is the id of its report (`TaskReport::id`)
  kTurn = 6,  ///< a turn was placed in a topic; the body is the id of its block
};

/// An entry of a scope's log: something happened that background work follows.
struct LogEntry {
  ScopeKey scope;
  std::int64_t seq = 0;  ///< 1, 2, 3, … within the scope; the store gives it when the entry is written
  LogKind kind = LogKind::kMessage;
  SessionId session;  ///< empty: the entry belongs to no session
  std::string body;  ///< its form depends on the kind
  std::int64_t time_ms = 0;  ///< when it was written, Unix milliseconds
};

/// The details of an item and how it got its words, as a store keeps both in one text: the JSON object of
/// the details with a member "writing". Of a message it holds the sender. Empty for an item that has none of it.
std::string kept_details(const Item& item);

/// Puts into an item what `kept_details` wrote.
void take_details(std::string_view kept, Item& item);

/// Whether a tool said it and it reads as if it gave a model orders (`reads_like_instructions`): then whoever hands it
/// to a model announces it (`suspect_remark`). Looks through the whole text.
bool is_suspect(const Item& item);

}  // namespace weft
