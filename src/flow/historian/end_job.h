#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job.h"
#include "weft/ids.h"
#include "weft/memory.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// The end of a turn as it waits in the queue: all that the historian needs to know of it later.
struct EndJob {
  ScopeKey scope;
  std::string user_id, group_id;  ///< of the scope; the group's is empty in private
  SessionId session;
  std::string request_id;
  std::int64_t end_seq = 0;
  std::string action_summary, new_info;
  std::vector<MessageId> message_ids;
  UserId sender_id;  ///< who wrote the user's message; empty: not known
  std::string sender_name, agent;
  std::string location, timezone;
  Time time;
  /// "flush": a candidate that was found before turns were compacted; "append": one for MEMORY.md; "fact": one that
  /// was stated in passing.
  std::string kind = "end";
  std::string attribute, quote;  ///< of a fact, see EventDetails; of one for MEMORY.md its tag
  std::vector<std::string> over;  ///< events that it takes the place of; never queued
  std::string model, prompt;  ///< by which `new_info` was worded, see Writing; never queued

  std::string event_id() const { return request_id + ":" + std::to_string(end_seq); }
};

/// The id of an event's view in its sender's private memory.
ItemId sender_view_id(const Item& event);

/// The id of a job: that of its event, made unique over scopes, since two users' clients may name requests alike.
JobId end_job_id(const ScopeKey& scope, const std::string& request_id, std::int64_t end_seq);

Job to_job(const EndJob& end, std::int64_t now_ms);

/// Reads a job's payload. kCorrupt says which field is missing or wrong.
Result<EndJob> read_end_job(const Job& job);

/// What is noted for each of its messages once an end's new information has been worked off, so that a second one is
/// refused later too. None where there is no new information.
std::vector<std::string> info_marks(const EndJob& end);

}  // namespace weft
