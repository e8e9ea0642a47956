#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/ends.h"
#include "flow/historian/queued_jobs.h"
#include "flow/memory/said_facts.h"
#include "flow/stream/observe.h"

namespace weft {

struct EngineCore;

/// What users state in passing: read out of their messages as soon as they are kept, and once more when their topic
/// closes; then the same way into memory as what the end of a turn tells. Safe from any thread.
class SaidMemory {
 public:
  SaidMemory(EngineCore& core, Profiles& profiles, Ends& ends) : core_(core), profiles_(profiles), ends_(ends) {}

  /// Adds a job to a change of a stream in which a user says something, or which leaves messages behind.
  void add_job(const RequestContext& request, const SessionId& session, StreamChange& change);

  /// Reads the messages of a job, by the grammar alone.
  Status work_off_said(const Job& job, std::stop_token stop);

  /// Reads a topic's messages, with a model where there is one: it sees what the grammar does not.
  Status learn_from_topic(const TopicKey& key, std::stop_token stop);

 private:
  Status read_said_messages(const SaidJob& said, bool with_model, std::stop_token stop);
  Status keep_facts(const SaidJob& said, const MessageRow& row, const std::vector<SaidFact>& facts, std::int64_t first,
                    const Writing& by, std::stop_token stop);
  std::vector<SaidFact> ends_of(const SaidJob& said, const MessageRow& row, std::vector<SaidFact>& facts);
  std::vector<SaidFact> changes_of(const SaidJob& said, const MessageRow& row, std::vector<SaidFact>& facts);
  std::vector<SaidFact> meant_facts_of(const SaidJob& said, const MessageRow& row, std::vector<SaidFact>& facts,
                                       std::stop_token stop);
  std::vector<SaidFact> wishes_of(const SaidJob& said, const MessageRow& row, std::vector<SaidFact>& facts,
                                  std::stop_token stop);
  std::optional<SaidFact> corrected(const SaidJob& said, const MessageRow& row, const SaidCorrection& correction);
  Status leave_late_facts(const SaidJob& said, const std::vector<ItemRow>& own, std::set<std::string>& gone);
  Status withdraw_facts(const SaidJob& said);

  EngineCore& core_;
  Profiles& profiles_;
  Ends& ends_;
};

}  // namespace weft
