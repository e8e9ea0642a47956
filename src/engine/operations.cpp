#include "engine/operations.h"

#include <set>
#include <thread>

#include "engine/engine_core.h"

namespace weft {
namespace {

Error no_failed(const JobId& job) {
  return not_found("no failed job " + job.str(), "`weft queue list` lists the jobs");
}

}  // namespace

Result<std::vector<JobInfo>> Operations::jobs() {
  WEFT_TRY(const auto rows, core_.store->jobs().list());
  std::vector<JobInfo> jobs;
  for (const Job& job : rows) {
    jobs.push_back({job.id, job.kind, std::string(to_string(job.state)), job.attempts, job.reason,
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
  // In the order in which one follows from the other, so that what has just moved on is not missed: turns, jobs, items.
  status.waiting_blocks = core_.store->counts().value_or({}).waiting_blocks;
  const JobCounts jobs = core_.store->jobs().counts(core_.clock->now().ms).value_or({});
  const std::size_t in_work = core_.metrics.jobs_in_work;
  status.queue = {jobs.pending, std::max(jobs.processing, in_work), jobs.failed, core_.metrics.jobs_done};
  if (const auto counts = core_.store->counts(); counts.ok()) {
    status.messages = counts->messages;
    status.items = counts->items;
    // Without an embedder no item waits for a vector.
    status.unembedded = status.embedder_state == "none" ? 0 : counts->unembedded;
  }
  status.readers = core_.log_readers->status(core_.clock->now().ms);
  status.problems = problems(status);
  return status;
}

Result<std::size_t> Operations::purge_failed(const JobId& job) {
  WEFT_TRY(const std::size_t gone, ends_.erase_jobs([&](const Job& one) {
    return one.state == JobState::kFailed && (job.empty() || one.id == job);
  }));
  if (gone == 0 && !job.empty()) return no_failed(job);
  return gone;
}

Result<std::size_t> Operations::retry_failed() {
  WEFT_TRY(const std::size_t count, core_.store->jobs().retry({}));
  core_.jobs_came();
  return count;
}

Status Operations::retry(const JobId& job) {
  if (job.empty()) return no_failed(job);
  WEFT_TRY(const std::size_t count, core_.store->jobs().retry(job));
  if (count == 0) return no_failed(job);
  core_.jobs_came();
  return {};
}

Status Operations::drain(std::chrono::milliseconds limit) {
  const Deadline deadline = Deadline::after(limit);
  for (;;) {
    // In the order in which one follows from the other: blocks, jobs, items.
    WEFT_TRY(const StoreCounts before, core_.store->counts());
    WEFT_TRY(const JobCounts jobs, core_.store->jobs().counts(core_.clock->now().ms));
    WEFT_TRY(const StoreCounts counts, core_.store->counts());
    const bool embedding = core_.change->serving()->embedder() != nullptr && counts.unembedded > 0;
    if (before.waiting_blocks == 0 && jobs.pending == 0 && jobs.processing == 0 && core_.metrics.jobs_in_work == 0 &&
        !embedding) {
      // Whose rows are counted already puts them into the index next.
      core_.change->gate().wait_for_those_inside();
      return {};
    }
    if (deadline.passed()) {
      return timed_out("still working: " + std::to_string(before.waiting_blocks) + " turns without a topic, " +
                       std::to_string(jobs.pending + jobs.processing) + " jobs, " + std::to_string(counts.unembedded) +
                       " items without a vector");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Status Operations::wait_ready(std::chrono::milliseconds limit) {
  return core_.change->serving()->model.wait_ready(Deadline::after(limit));
}

}  // namespace weft
