#include "agent/call_threads.h"

#include <deque>
#include <optional>
#include <thread>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kGrace{2};       // behind its deadline, until a call is given up
constexpr std::chrono::seconds kPatience{5};    // at the end, for calls that were given up

struct Back {
  std::size_t job = 0;
  Result<ToolOutcome> outcome;
  double ms = 0;
};

/// What comes back of one batch; it outlives whoever asked, for those that come late.
struct Batch {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Back> back;
};

Result<ToolOutcome> run_tool(const CallJob& job) {
  return guarded("the tool",
                 [&] { return job.tool->run({job.request, job.run, job.call, job.arguments, job.key, job.deadline}); });
}

}  // namespace

CallThreads::Place::Place(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {
  const std::lock_guard lock(shared_->mutex);
  ++shared_->running;
}

CallThreads::Place::~Place() {
  if (!shared_) return;
  {
    const std::lock_guard lock(shared_->mutex);
    --shared_->running;
  }
  shared_->changed.notify_all();
}

CallThreads::~CallThreads() {
  std::unique_lock lock(shared_->mutex);
  if (!shared_->changed.wait_for(lock, kPatience, [&] { return shared_->running == 0; }))
    log_warning("agent", "a tool that does not heed its deadline is still running");
}

void CallThreads::make(std::span<const CallJob> jobs,
                       const std::function<void(std::size_t job, Result<ToolOutcome> outcome, double ms)>& take) {
  const auto batch = std::make_shared<Batch>();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto call = [place = Place(shared_), batch, job = jobs[i], i, context = CallContext::to_hand_over()]() mutable {
      const CallScope scope(std::move(context));
      const Stopwatch watch;
      Result<ToolOutcome> outcome = run_tool(job);
      {
        const std::lock_guard lock(batch->mutex);
        batch->back.push_back({i, std::move(outcome), watch.ms()});
      }
      batch->changed.notify_all();
      job.tool.reset();  // before the owner of what it stands on is told that nobody is left
    };
    std::thread thread;
    const Status begun = start_thread(thread, "a call of a tool", std::move(call));
    if (begun.ok()) {
      thread.detach();
      continue;
    }
    log_error("agent", begun.error().message);
    const std::lock_guard lock(batch->mutex);
    batch->back.push_back({i, begun.error(), 0});
  }
  const Stopwatch watch;
  std::vector<bool> done(jobs.size(), false);
  std::optional<Deadline::Clock::time_point> stopped;
  // When this call is given up; nothing: never.
  const auto end_of = [&](const CallJob& job) -> std::optional<Deadline::Clock::time_point> {
    if (job.deadline.cancelled() && !stopped) stopped = Deadline::Clock::now();
    if (job.deadline.cancelled()) return *stopped + kGrace;
    if (job.deadline.until()) return *job.deadline.until() + kGrace;
    return std::nullopt;
  };
  for (std::size_t left = jobs.size(); left > 0;) {
    std::unique_lock lock(batch->mutex);
    // Woken from time to time, since a stop of the run shortens the wait.
    const auto wake = Deadline::Clock::now() + std::chrono::milliseconds(200);
    batch->changed.wait_until(lock, wake, [&] { return !batch->back.empty(); });
    std::deque<Back> back = std::move(batch->back);
    batch->back.clear();
    lock.unlock();
    for (Back& one : back) {
      if (done[one.job]) continue;
      done[one.job] = true;
      --left;
      take(one.job, std::move(one.outcome), one.ms);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (done[i]) continue;
      const auto end = end_of(jobs[i]);
      if (!end || Deadline::Clock::now() < *end) continue;
      done[i] = true;
      --left;
      take(i, timed_out("the tool did not answer in time, and does not heed its deadline"), watch.ms());
    }
  }
}

}  // namespace weft
