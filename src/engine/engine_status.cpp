#include "engine/engine_impl.h"

namespace weft {

Result<std::vector<JobInfo>> EngineImpl::jobs() {
  std::vector<JobInfo> jobs;
  for (auto& [state, job] : core_.queue->list()) {
    jobs.push_back({job.id, job.kind, std::string(to_string(state)), job.attempts, job.reason,
                    format_time({job.created_ms, 0}), job.payload});
  }
  return jobs;
}

EngineStatus EngineImpl::status() {
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

}  // namespace weft
