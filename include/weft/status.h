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

/// One event that was made anew, for showing.
struct RepairedEvent {
  ScopeKey scope;
  ItemId id;
  std::string before, after;  ///< its text
};

/// What making events anew from their sources changed, or would change.
struct RepairReport {
  std::size_t events = 0;   ///< looked at
  std::size_t changed = 0;  ///< say something else now
  std::size_t same = 0;
  std::size_t kept = 0;  ///< left as they are: worded by a model, or without what they were made from
  std::vector<RepairedEvent> examples;  ///< the first few of those that changed
};

/// One call of a chat model, as it is accounted for.
struct ModelCall {
  std::string scope;  ///< key of whose it was, such as "user:ann"; empty: nobody's
  std::string key;    ///< name of the server's key that it came with; empty: none
  std::string role;   ///< what the model was used for: "proxy", "main", "historian" …
  std::string model;  ///< its name
  std::string outcome = "answered";  ///< or how it failed, by a stable word such as "timeout"
  std::int64_t input_tokens = -1;    ///< as the model's server counted them; -1: it did not
  std::int64_t output_tokens = -1;
  /// What is counted where the server did not; needed only during the call.
  std::string_view input_text = {}, output_text = {};
  double seconds = 0;              ///< until the end of the answer
  double first_token_seconds =
      -1;  ///< until the first piece of a streamed answer; -1: none came, or it was not streamed

  bool answered() const { return outcome == "answered"; }
};

/// Totals of model calls. What rows are not told apart by is empty.
struct UsageRow {
  std::string day;  ///< in UTC, "2026-11-26"
  std::string scope, key, role, model;
  std::uint64_t calls = 0;   ///< answered and failed ones
  std::uint64_t failed = 0;  ///< of these
  std::uint64_t counted = 0;  ///< of these, those whose tokens were counted here, since the server told none
  std::int64_t input_tokens = 0, output_tokens = 0;
  double seconds = 0;  ///< of all calls together
};

/// Which totals are wanted.
struct UsageQuery {
  std::string scope = {};     ///< only those of this scope, by its key; empty: of all
  std::string from = {}, to = {};  ///< days, both included; empty: no bound
  /// What they are told apart by: "day", "scope", "key", "role", "model".
  std::vector<std::string> by = {"day", "role", "model"};
};

}  // namespace weft
