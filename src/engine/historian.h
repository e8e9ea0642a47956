#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/profiles.h"
#include "flow/historian/historian_jobs.h"
#include "flow/historian/queued_jobs.h"
#include "flow/memory/said_facts.h"
#include "flow/stream/observe.h"
#include "weft/cognitive.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

struct EndResult;
struct EngineCore;

/// The ends of agents' turns: checked, queued durably and answered, and later taken into memory by the queue's workers.
/// Safe from any thread.
class Ends {
 public:
  Ends(EngineCore& core, Profiles& profiles) : core_(core), profiles_(profiles) {}

  // `Session` in weft/facets/session.h says what these do.
  Result<EndReport> end(const RequestContext& request, const SessionId& session, const EndRequest& what);
  Result<EndReport> import_summary(const RequestContext& request, const std::string& summary, std::optional<Time> time,
                                   const std::string& place);

  /// Takes in what a job holds; once, however often it is tried.
  Status work_off_end(const Job& job, std::stop_token stop);

  /// The one way into memory for whatever was learnt: by the end of a turn, or stated in passing. The job that it was
  /// (null where it was none) is finished and marked as done in the same transaction.
  Status take_in_end(const EndJob& end, ChatModel* model, const Job* job, std::stop_token stop);

  /// Removes jobs: they will never be worked off, and their messages may give their new information again. Gives how
  /// many.
  Result<std::size_t> erase_jobs(const std::function<bool(const Job&)>& wanted);

 private:
  Result<EndJob> end_job_of(const RequestContext& request, const SessionId& session, const EndRequest& what,
                            const std::vector<MessageRow>& recent) const;
  Status name_sender(const RequestContext& request, const EndRequest& what, EndJob& end) const;
  Result<bool> keep_end(EndJob& end, bool task_done, EndReport& report);
  Result<bool> queue_end(EndJob& end, bool task_done);
  Result<bool> add_end(const EndJob& end, bool task_done, WriteBatch& batch);
  Status keep_event(const EndJob& end, const EndResult& result, const Job* job, std::stop_token stop);
  Result<std::int64_t> free_number(const EndJob& end);
  Status check_infos(const EndJob& end);
  std::optional<ItemRow> sender_view(const EndJob& end, const ItemRow& event);

  EngineCore& core_;
  Profiles& profiles_;
  std::array<std::mutex, 64> end_locks_;
};

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
