#include "engine/active_runs.h"

#include "base/guarded.h"
#include "base/threads.h"

namespace weft {

bool ActiveRun::comes_back(std::chrono::milliseconds patience) const {
  const Deadline until = Deadline::after(patience);
  while (!done && !until.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return done;
}

Result<std::shared_ptr<ActiveRun>> ActiveRuns::take(const std::string& run, const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  if (still_.contains(scope))
    return unavailable("words of " + scope.str() + " are being erased: no run begins meanwhile",
                       "try again in a moment");
  std::size_t busy = 0;
  for (auto one = active_.begin(); one != active_.end();) {
    const bool has_thread = one->second->thread.joinable();
    if (one->second->done) {
      if (has_thread) one->second->thread.join();
      one = active_.erase(one);
      continue;
    }
    busy += has_thread ? 1 : 0;
    ++one;
  }
  if (active_.contains(run)) return conflict("the run " + run + " is at work", "it has one loop at a time");
  if (busy >= static_cast<std::size_t>(settings_.runs))
    return conflict(std::to_string(busy) + " runs are at work, and no more may be", "wait for one, or set agent.runs");
  return active_[run] = std::make_shared<ActiveRun>();
}

Status ActiveRuns::start(ActiveRun& active, std::function<Result<LoopEnd>()> work,
                         std::function<bool(const Result<LoopEnd>&)> over) {
  const std::lock_guard lock(mutex_);
  const Status begun =
      start_thread(active.thread, "a run", [this, &active, work = std::move(work), over = std::move(over)] {
        while (!active.done) {
          const Result<LoopEnd> end = guarded("the run", work);
          const std::lock_guard ending(mutex_);
          bool is_over = true;
          guarded_or_logged("agent", [&] { is_over = over(end); });
          active.done = is_over;
        }
      });
  if (!begun.ok()) active.done = true;
  return begun;
}

bool ActiveRuns::at_work(const std::string& run) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(run);
  return found != active_.end() && !found->second->done;
}

std::shared_ptr<ActiveRun> ActiveRuns::interrupt(const std::string& run, const std::string& why) {
  std::shared_ptr<ActiveRun> active;
  {
    const std::lock_guard lock(mutex_);
    const auto found = active_.find(run);
    if (found == active_.end() || found->second->done) return nullptr;
    active = found->second;
    if (!active->stop.interrupt) {
      active->stop.why = why;
      active->stop.interrupt = true;
    }
  }
  active->stop.source.request_stop();
  return active;
}

void ActiveRuns::stop_all() {
  std::map<std::string, std::shared_ptr<ActiveRun>> active;
  {
    const std::lock_guard lock(mutex_);
    active = active_;
  }
  for (auto& [id, one] : active) one->stop.source.request_stop();
  for (auto& [id, one] : active)
    if (one->thread.joinable()) one->thread.join();
}

std::map<std::string, std::shared_ptr<ActiveRun>> ActiveRuns::close(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  still_[scope];
  return active_;
}

void ActiveRuns::keep_still(const ScopeKey& scope, std::vector<std::string> stopped) {
  const std::lock_guard lock(mutex_);
  still_[scope] = std::move(stopped);
}

std::vector<std::string> ActiveRuns::open(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> stopped = std::move(still_[scope]);
  still_.erase(scope);
  return stopped;
}

}  // namespace weft
