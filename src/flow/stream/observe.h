#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "flow/stream/session_state.h"
#include "ports/embedding/embedder.h"
#include "ports/store/store.h"
#include "weft/block.h"
#include "weft/engine.h"

namespace weft {

/// What stands at the head of the next buffer after a relay: what was asked so far, what was done, and the names that
/// came up, drawn from the blocks and from the summary that led into them. Deterministic; the language is the blocks'
/// own.
std::string running_summary(const std::vector<LogicalBlock>& blocks, const std::string& lead, std::int64_t max_tokens);

/// How long an encoder may take for a block, or for one text of it, before words alone decide about its topic.
inline constexpr std::chrono::milliseconds kEmbedPatience{5000};

/// What the stream needs from outside. Shared by all sessions; everything in it is safe from many threads.
struct StreamPorts {
  const Config& config;
  Store& store;
  Embedder* embedder;   ///< may be null: then words decide
  const Adsorber& adsorber;
  const TokenCounter& tokens;
  const Clock& clock;
  /// The running summary of an open topic where one was prepared; may be empty.
  std::function<std::optional<std::string>(const OpenTopic& topic)> prepared_lead;
};

/// A message to take in.
struct Incoming {
  Message message;
  std::int64_t seq = 0;  ///< of a message that is known already and comes back to life on another branch
  std::uint64_t chain = 0;  ///< in the client's history, if messages before it were erased; 0: it follows from the path
};

/// What is to be written and told about one call of the stream.
struct StreamChange {
  /// Writes this row, in the place of one that the change has of it already.
  void set(BlockRow row);
  void set(TopicRow row);

  WriteBatch batch;
  ObserveReport report;
  std::vector<TopicRow> flushed;  ///< topics that were closed, each of which needs a job
  std::map<BlockId, std::size_t> closed_by;  ///< blocks → the observation of the report whose message closed them
};

/// Takes messages into the session: recognise → parse. Blocks that close wait for their topic in `state.waiting`, so
/// that no encoder is needed, except for "/save", which closes the topic. Changes `state` and collects what must be
/// written in `change`; the caller writes it, and throws the state away if that fails. Errors leave nothing to be
/// written.
Status observe(const StreamPorts& ports, const Deadline& deadline, SessionState& state,
               std::span<const Incoming> messages, StreamChange& change);

/// Moves the first `most` of the blocks that wait into topics, each into the open one or into a new one, and tells the
/// decisions in the report where the same change closed them. Where the deadline passes, or the encoder takes seconds
/// for one block, words decide about the rest.
void place_waiting(const StreamPorts& ports, const Deadline& deadline, SessionState& state, std::size_t most,
                   StreamChange& change);

/// The texts whose vectors placing the first `most` waiting blocks will ask for, as far as they are known before.
std::vector<std::string> texts_to_place(const Adsorber& adsorber, const SessionState& state, std::size_t most);

/// Closes the open topic, and the open block with it unless it is only idleness that closes it. All that waits is
/// placed before.
void flush_session(const StreamPorts& ports, const Deadline& deadline, SessionState& state, FlushReason reason,
                   StreamChange& change);

/// Under which kind of document the decisions about a session's turns are kept, one a block, so that people can look up
/// later why a topic was cut. They hold numbers and names of signals, no text.
std::string decision_kind(const SessionId& session);

/// Keeps a decision with the batch that places its block; takes the place of one that was made of the block before.
void keep_decision(const ScopeKey& scope, const SessionId& session, const Decision& decision, Time time,
                   WriteBatch& batch);

}  // namespace weft
