#pragma once

#include <string>
#include <vector>

#include "flow/historian/end_job.h"
#include "flow/historian/members.h"
#include "flow/memory/said_facts.h"
#include "model/job.h"
#include "model/rows.h"

namespace weft {

/// Messages that may state something of their speakers, as they wait in the queue. A topic that is closed reads its
/// messages once more, so nothing is lost where this job is.
struct SaidJob {
  ScopeKey scope;
  std::string user_id, group_id;  ///< of the call; the group's is empty in private, the user's may be in a group
  SessionId session;
  std::vector<MessageId> messages;
  bool left = false;  ///< the conversation has left a branch: what was stated there is taken back
  Time time;
  Members members;  ///< of the group; never queued
};

/// The kind of such jobs.
inline constexpr const char* kSaidKind = "said";

Job to_job(const SaidJob& said, std::int64_t now_ms);

/// Reads a job's payload. kCorrupt says which field is missing.
Result<SaidJob> read_said_job(const Job& job);

/// How the speaker of a message is called in what is kept of it; empty: "the user" of a private scope.
std::string speaker_of(const SaidJob& said, const Message& message);

/// Whose facts a message states; empty: of a group's member whose id is not known.
UserId sender_of(const SaidJob& said, const Message& message);

/// A fact on its way into memory: the same way as that of the end of a turn.
EndJob fact_job(const SaidJob& said, const MessageRow& row, const SaidFact& fact, std::int64_t number,
                const std::string& agent);

}  // namespace weft
