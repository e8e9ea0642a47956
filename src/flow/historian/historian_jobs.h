#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "flow/historian/queued_jobs.h"
#include "flow/historian/rewrite.h"
#include "flow/historian/write_gate.h"
#include "model/job.h"
#include "ports/store/store.h"
#include "weft/config.h"

namespace weft {

/// What the historian needs from outside.
struct HistorianPorts {
  const Config& config;
  Store& store;
  std::function<Result<std::vector<LogicalBlock>>(const TopicRow&)>
      blocks_of;  ///< the active blocks with their content
  Metrics& metrics;
};

/// The job that hands a flushed topic to the historian.
Job topic_job(const TopicRow& topic, std::int64_t now_ms);

/// What one job makes: rows to be written in one transaction, with the topic marked as done in it, so that a job that
/// is worked off twice takes effect once.
struct JobResult {
  WriteBatch batch;
};

/// Which topic a job is about, from its payload. kCorrupt where it cannot be read.
Result<TopicKey> topic_key(const Job& job);

/// Works off one topic: read it → an event for each block → a narrative for the whole. `wording` holds a model's words
/// for messages, made before and without a lock; messages that it lacks are worded by the grammar. The caller holds the
/// topic's session, so that no branch is left meanwhile. Errors: whatever the store says. A topic that is gone or done
/// gives an empty result.
Result<JobResult> process_job(const HistorianPorts& ports, const TopicKey& key, const Wording& wording);

/// The event as the deterministic way words it now, of the same block; nothing where a model worded it, where it is not
/// of a topic, or where its topic or block is gone. The caller holds the session.
Result<std::optional<ItemRow>> event_again(const HistorianPorts& ports, const ItemRow& event);

/// The blocks of a topic that is still to be worked off; none where it is gone or done.
Result<std::vector<LogicalBlock>> blocks_to_word(const HistorianPorts& ports, const TopicKey& key);

/// What the historian needs for the end of a turn.
struct EndPorts {
  const Config& config;
  Store& store;
  ChatModel* model = nullptr;  ///< of the role `historian`; null: the deterministic way alone
  Metrics& metrics;
  /// Judges a text against what the scope knows; `recalled` are memories that stood in the last prompt. Null: all is
  /// let in.
  std::function<std::optional<Refused>(std::string_view text, const GateContext& context)> judge;
  std::vector<std::string> recalled;  ///< memories that stood in the session's last prompt
};

/// What one end becomes.
struct EndResult {
  std::optional<ItemRow> event;  ///< nothing where the write gate refused it
  std::string refused;  ///< why, for the log
};

/// Works off the end of one turn: read the messages → put it in words that need no circumstances → gate → write gate →
/// event. Writes nothing. Errors: whatever the store says.
Result<EndResult> process_end(const EndPorts& ports, const EndJob& end, const Deadline& deadline);

}  // namespace weft
