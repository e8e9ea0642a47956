#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "flow/stream/topic_shift.h"
#include "model/rows.h"
#include "ports/store/store.h"
#include "text/token_counter.h"
#include "weft/block.h"
#include "weft/message.h"

namespace weft {

/// What one message did to the stream.
struct ParseStep {
  std::string action;                  ///< "opened", "staged", "observed", "sealed", "system"
  std::vector<LogicalBlock> closed;  ///< blocks that this message closed: an interrupted one, then perhaps a sealed one
  std::vector<std::string> notes;  ///< what was unusual, for people
};

/// Messages → logical blocks.
///
/// Takes  messages of one session in the order they came, each with an id and a time.
/// Gives  blocks when they close: one user message, what was thought and called for it, the answer.
/// Promises  every message is in exactly one block (system messages in none), in the order they came; the same messages
///        give the same blocks, so that an open block is restored by feeding its messages again.
/// States  IDLE: no block is open. PROCESSING: a block is open and waits for calls, outputs or the answer.
/// Cost   O(calls open in the block) a message.
/// Not safe for several threads.
class StreamParser {
 public:
  /// `tokens` is the message's own count; `fallback_id` names the block if this message opens one.
  ParseStep feed(const Message& message, std::int64_t tokens, const BlockId& fallback_id);

  /// Closes what is open, as a save, the idle timer or a new branch does. Nothing when idle.
  std::optional<LogicalBlock> close();

  bool processing() const { return open_.has_value(); }
  const LogicalBlock* open() const { return open_ ? &*open_ : nullptr; }

 private:
  void begin(const Message& message, const BlockId& id);
  void add_source(const Message& message, std::int64_t tokens);
  void take_user(const Message& message, std::int64_t tokens, const BlockId& id, ParseStep& step);
  void take_assistant(const Message& message, std::int64_t tokens, const BlockId& id, ParseStep& step);
  void take_tool(const Message& message, std::int64_t tokens, const BlockId& id, ParseStep& step);
  void stage_calls(const Message& message, ParseStep& step);
  void stage_thought(std::string thought);
  bool waits_for_outputs() const;
  void seal(ParseStep& step);

  std::optional<LogicalBlock> open_;
};

/// One message of the living branch, as far as recognising a resent history and choosing what a prompt loads need it.
struct PathNode {
  std::int64_t seq = 0;
  std::uint64_t digest = 0;
  BlockId block;
  MessageId id;
  Role role = Role::kUser;
  std::int64_t tokens = 0;  ///< of its text, thoughts and calls
  std::uint64_t chain = 0;  ///< see `chained`
};

/// The stream of one session in memory: a copy of what the store holds, so that it can be thrown away and restored at
/// any time. Owned by one caller at a time.
struct SessionState {
  SessionRow row;
  StreamParser parser;
  std::deque<LogicalBlock> waiting;  ///< closed blocks that have no topic yet, in order
  std::optional<OpenTopic> topic;
  std::string last_trace;  ///< of the last topic that was closed, for what is known of the dialogue as a whole
  TopicId last_topic;  ///< that one, as long as its row keeps the trace
  std::vector<PathNode> path;  ///< the living branch, without system messages
};

/// Reads a session's state from the store; a session that does not exist yet is an empty one.
Result<SessionState> restore_session(Store& store, const ScopeKey& scope, const SessionId& session);

/// A message as a node of the path, in that block.
PathNode path_node(const MessageRow& row, const BlockId& block);

/// Puts a block together again from its messages.
LogicalBlock rebuild_block(const BlockRow& row, const std::vector<MessageRow>& messages);

/// Blocks with their content, as far as it is active.
Result<std::vector<LogicalBlock>> load_blocks(Store& store, const std::vector<BlockRow>& rows);

/// The active blocks of a topic with their content.
Result<std::vector<LogicalBlock>> load_topic_blocks(Store& store, const TopicRow& topic);

/// What a resent message is recognised by: role, text without outer white space, calls and call id. Thoughts and names
/// do not count, since clients leave them out when they send a history again.
std::uint64_t digest_of(const Message& message);

/// Whether the session is a conversation that was imported from another system.
inline bool is_imported(const SessionId& session) { return session.str().starts_with("import:"); }

}  // namespace weft
