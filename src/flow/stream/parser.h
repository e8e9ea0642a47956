#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace weft
