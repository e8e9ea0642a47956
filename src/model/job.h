#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/call_context.h"
#include "weft/ids.h"
#include "weft/result.h"

namespace weft {

enum class JobState { kPending, kProcessing, kFailed };

std::string_view to_string(JobState state);

/// Work for the historian, as it is kept until it is done.
struct Job {
  JobId id;
  ScopeKey scope;             ///< whose memory it is about
  std::string kind;           ///< "topic", "end", "flush", "append", "said", "state"
  std::string payload;        ///< JSON, the kind's own
  JobState state = JobState::kPending;
  int attempts = 0;           ///< how often it was begun; the number of its present holder
  std::string reason;         ///< why the last attempt failed
  std::int64_t created_ms = 0;
  std::int64_t not_before_ms = 0;  ///< back-off: not to be taken earlier
};

/// A job that waits from now on. Its payload notes the recorded request that the calling thread works for as the member
/// "cause", a header `traceparent`, so that the work can be linked to the request.
Job new_job(JobId id, ScopeKey scope, std::string kind, std::string payload, std::int64_t now_ms);

/// The request that led to a job, by its payload; none: empty ids.
TraceParent cause_of(std::string_view payload);

/// The form of a job in a file: id, kind, payload (as JSON, not as text in text), attempts, reason, times.
std::string to_json(const Job& job);
/// Reads this form; the scope comes from the payload. kCorrupt says what is wrong.
Result<Job> parse_job(std::string_view json);

}  // namespace weft
