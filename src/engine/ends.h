#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/profiles.h"
#include "flow/historian/process_end.h"
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

}  // namespace weft
