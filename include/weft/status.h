#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/ids.h"

namespace weft {

/// The queue of the historian, and what has been kept.
struct QueueStatus {
  std::size_t pending = 0, processing = 0, failed = 0;
  std::uint64_t done = 0;
};

struct JobInfo {
  JobId id;
  std::string kind;  ///< "topic", "end", "flush"
  std::string state;  ///< "pending", "processing", "failed"
  int attempts = 0;
  std::string reason;  ///< of the last failure
  std::string created;  ///< RFC 3339
  std::string payload;  ///< JSON
};

/// Something that is wrong, with what to do about it.
struct Problem {
  std::string code;  ///< stable: "disk", "store", "embedder", "queue_failed", …
  bool failing = false;  ///< what is acknowledged or asked for cannot be kept; otherwise it goes on with less
  std::string what, advice;
};

/// A reader of the log, in the background, and how far it is behind.
struct ReaderStatus {
  std::string name;  ///< "diary", "adaptation"
  std::uint64_t entries = 0;  ///< that it has not read yet
  std::uint64_t seconds = 0;  ///< since the oldest of them was written
  std::string failure;  ///< why it does not get on; empty: it does
};

/// What a backup holds.
struct BackupReport {
  std::string folder;
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

/// A snapshot for `weft doctor`, /healthz and the demo.
struct EngineStatus {
  std::string embedder;  ///< name of the model, or "none"
  std::string embedder_state;  ///< "ready", "loading", "failed: …", "none"
  std::string next_embedder;  ///< the model that takes over when all items have its vectors; empty: no change
  std::string next_embedder_state;
  std::uint64_t next_done = 0, next_all = 0;  ///< items that have a vector of the next model, and all that need one
  std::string chat;  ///< name of the main chat model, or "none"
  std::string token_mode;
  QueueStatus queue;
  std::uint64_t messages = 0, items = 0, unembedded = 0;
  std::uint64_t waiting_blocks = 0;  ///< turns that are kept and have no topic yet
  std::vector<ReaderStatus> readers;
  std::vector<Problem> problems;  ///< the gravest first; empty: all is well

  /// "ok", "degraded" or "failing".
  std::string_view health() const {
    return problems.empty() ? "ok" : problems.front().failing ? "failing" : "degraded";
  }
};

}  // namespace weft
