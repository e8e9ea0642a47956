#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/sequence.h"
#include "flow/stream/session_state.h"
#include "ports/embedding/embedder.h"
#include "ports/store/store.h"
#include "weft/engine.h"

namespace weft {

/// What the stream needs from outside. Shared by all sessions; everything in it is safe from many threads.
struct StreamPorts {
  const Config& config;
  Store& store;
  Embedder* embedder;   ///< may be null: then words decide
  const Adsorber& adsorber;
  const TokenCounter& tokens;
  const Clock& clock;
  Sequence& seqs;
  /// The running summary of an open topic where one was prepared; may be empty.
  std::function<std::optional<std::string>(const OpenTopic& topic)> prepared_lead;
};

/// A message to take in; `seq` is set where it is known already and comes back to life on another branch.
struct Incoming {
  Message message;
  std::int64_t seq = 0;
};

/// What is to be written and told about one call of the stream.
struct StreamChange {
  WriteBatch batch;
  ObserveReport report;
  std::vector<TopicRow> flushed;   ///< topics that were closed, each of which needs a job
};

/// Takes messages into the session: recognise → parse → adsorb or cut. Changes `state` and collects what must be
/// written in `change`; the caller writes it, and throws the state away if that fails. Errors leave nothing to be
/// written.
Status observe(const StreamPorts& ports, const Deadline& deadline, SessionState& state,
               std::span<const Incoming> messages, StreamChange& change);

/// Closes the open topic, and the open block with it unless it is only idleness that closes it.
void flush_session(const StreamPorts& ports, const Deadline& deadline, SessionState& state, FlushReason reason,
                   StreamChange& change);

/// Moves a closed block into the open topic or cuts: the core of the stream.
Decision place_block(const StreamPorts& ports, const Deadline& deadline, SessionState& state, LogicalBlock block,
                     StreamChange& change);

}  // namespace weft
