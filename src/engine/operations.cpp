#include "engine/operations.h"

#include <set>
#include <thread>

#include "engine/engine_core.h"

namespace weft {

Result<std::vector<JobInfo>> Operations::jobs() {
  std::vector<JobInfo> jobs;
  for (auto& [state, job] : core_.queue->list()) {
    jobs.push_back({job.id, job.kind, std::string(to_string(state)), job.attempts, job.reason,
                    format_time({job.created_ms, 0}), job.payload});
  }
  return jobs;
}

EngineStatus Operations::status() {
  EngineStatus status;
  const auto serving = core_.change->serving();
  status.embedder = serving->embedder() != nullptr ? serving->model.name : "none";
  status.embedder_state = serving->model.state();
  if (auto next = core_.change->progress(); !next.model.empty()) {
    status.next_embedder = std::move(next.model);
    status.next_embedder_state = std::move(next.state);
    status.next_done = next.items.done;
    status.next_all = next.items.all;
  }
  status.chat = core_.models->chat_name();
  status.token_mode = to_string(core_.models->tokens().mode());
  const auto jobs = core_.queue->counts();
  status.queue = {jobs.pending, jobs.processing, jobs.failed, jobs.done};
  if (const auto counts = core_.store->counts(); counts.ok()) {
    status.messages = counts->messages;
    status.items = counts->items;
    // Without an embedder no item waits for a vector.
    status.unembedded = status.embedder_state == "none" ? 0 : counts->unembedded;
  }
  status.problems = problems(status);
  return status;
}

Result<std::size_t> Operations::purge_failed(const JobId& job) {
  std::set<JobId> failed;
  for (const auto& [state, one] : core_.queue->list())
    if (state == JobState::kFailed && (job.empty() || one.id == job)) failed.insert(one.id);
  if (failed.empty() && !job.empty())
    return not_found("no failed job " + job.str(), "`weft queue list` lists the jobs");
  WEFT_TRY(const auto gone, ends_.erase_jobs([&](const Job& one) { return failed.contains(one.id); }));
  return gone.size();
}

Result<std::size_t> Operations::retry_failed() {
  WEFT_TRY(const std::size_t count, core_.queue->retry_failed());
  for (Background* historian : core_.historians) historian->wake();
  return count;
}

Status Operations::retry(const JobId& job) {
  WEFT_CHECK(core_.queue->retry(job));
  for (Background* historian : core_.historians) historian->wake();
  return {};
}

Status Operations::drain(std::chrono::milliseconds limit) {
  const Deadline deadline = Deadline::after(limit);
  for (;;) {
    const auto jobs = core_.queue->counts();
    WEFT_TRY(const StoreCounts counts, core_.store->counts());
    const bool embedding = core_.change->serving()->embedder() != nullptr && counts.unembedded > 0;
    if (jobs.pending == 0 && jobs.processing == 0 && !embedding) {
      // Whose rows are counted already puts them into the index next.
      core_.change->gate().wait_for_those_inside();
      return {};
    }
    if (deadline.passed()) {
      return timed_out("still working: " + std::to_string(jobs.pending + jobs.processing) + " jobs, " +
                       std::to_string(counts.unembedded) + " items without a vector");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Status Operations::wait_ready(std::chrono::milliseconds limit) {
  return core_.change->serving()->model.wait_ready(Deadline::after(limit));
}

}  // namespace weft
