#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/choices.h"
#include "weft/ids.h"
#include "weft/message.h"
#include "weft/time.h"

namespace weft {

/// Thought → tool call → observation. A thought that no call has followed yet has no call; a call that has not been
/// answered yet has no observation. Either leaves the block open.
struct Triplet {
  std::string thought;
  std::optional<ToolCall> call;
  std::optional<Message> observation;
};

enum class BlockStatus {
  kOpen,         ///< still being filled
  kSealed,       ///< closed by a final response
  kInterrupted,  ///< closed by the next user message, a save or the idle timer before a response came
};

std::string_view to_string(BlockStatus status);

/// The smallest unit of memory: a user's message, what was done for it, and the answer. A sealed block is one turn.
struct LogicalBlock {
  BlockId id;
  std::optional<Message> user_block;
  std::vector<Triplet> execution_chain;
  std::optional<Message> response_block;
  std::int64_t total_tokens = 0;
  Time timestamp;             ///< of its first message
  Time last_time;             ///< of its last message
  std::string anchor_text;    ///< the user's query, with context where the anchor policy adds some
  BlockStatus status = BlockStatus::kOpen;
  std::vector<MessageId> sources;  ///< all messages in it, in order

  /// Both the user's message and the final response are there.
  bool is_complete() const { return user_block.has_value() && response_block.has_value(); }
};

/// Why a block joined the open topic or began a new one.
enum class Verdict {
  kStart,    ///< the first block of a session, or after a flush
  kAdsorb,   ///< it belongs to the open topic
  kDrift,    ///< a new topic: the old one was flushed
  kRelay,    ///< the token limit forced a cut; a running summary leads on
  kPending,  ///< no decision yet: a look-ahead is waiting for the next block
};

std::string_view to_string(Verdict verdict);

/// One reason with its share in the decision, such as {"similarity", -1.2} or {"topic_phrase", 2.0}.
struct Reason {
  std::string name;
  double weight = 0;
};

/// The decision on one block.
struct Decision {
  BlockId block;
  TopicId topic;                    ///< the topic the block is in now
  Verdict verdict = Verdict::kStart;
  double similarity = 0;            ///< calibrated to [0, 1]; the raw cosine under the `literal` preset
  double shift = 0;  ///< probability of a new topic that the cut was decided on, 0 where a rule decided
  std::vector<Reason> reasons;
  MadeBy by = MadeBy::kModel;  ///< kModel where a vector took part
};

/// Why a topic was closed.
enum class FlushReason { kDrift, kRelay, kIdle, kSave, kBranch };

std::string_view to_string(FlushReason reason);

/// What became of one observed message.
struct Observation {
  MessageId id;
  std::string action;  ///< "opened", "staged", "observed", "sealed", "system", "saved", "duplicate", "kept"
  BlockId block;
  std::optional<Decision> decision;  ///< where this message closed a block and the caller waited for the decision
  std::vector<std::string> notes;  ///< "orphan tool output", "block interrupted", …
};

/// One topic that was closed while observing.
struct Flushed {
  TopicId topic;
  FlushReason reason = FlushReason::kDrift;
  JobId job;
  std::size_t blocks = 0;
  std::int64_t tokens = 0;
};

struct ObserveReport {
  std::vector<Observation> observations;  ///< one a message, in order
  std::vector<Flushed> flushed;
};

/// What became of a client's whole history.
struct SyncReport {
  std::size_t known = 0;  ///< messages recognised
  std::size_t added = 0;  ///< messages observed now
  std::size_t abandoned = 0;  ///< messages of the branch that the client left
  ObserveReport observed;
};

}  // namespace weft
