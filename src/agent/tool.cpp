#include "agent/tool.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <thread>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/threads.h"

namespace weft {
namespace {

constexpr std::size_t kLongestName = 64;

bool callable(const std::string& name) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), fine);
}

}  // namespace

Status ToolRegistry::add(std::shared_ptr<Tool> tool) {
  const std::string& name = tool->info().name;
  if (!callable(name))
    return invalid_argument("\"" + name + "\" is no name of a tool", "use letters, digits, '_' and '-', 64 at most");
  if (!tools_.emplace(name, std::move(tool)).second) return conflict("there are two tools of the name " + name);
  return {};
}

Tool* ToolRegistry::find(const std::string& name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : found->second.get();
}

std::shared_ptr<Tool> ToolRegistry::share(const std::string& name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : found->second;
}

std::vector<ToolInfo> ToolRegistry::infos() const {
  std::vector<ToolInfo> infos;
  for (const auto& [name, tool] : tools_) infos.push_back(tool->info());
  return infos;
}

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

bool fits_pattern(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool fits_any(std::span<const std::string> patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& one) { return fits_pattern(one, name); });
}

Status Permissions::add(std::string_view list) {
  List made;
  while (!list.empty()) {
    const std::string_view one = trimmed(list.substr(0, list.find(',')));
    list.remove_prefix(
        std::min(list.size(), list.find(',') == std::string_view::npos ? list.size() : list.find(',') + 1));
    if (one.empty()) continue;
    const auto equals = one.find('=');
    const std::string_view name = trimmed(one.substr(0, equals));
    const std::string_view word = equals == std::string_view::npos ? "" : trimmed(one.substr(equals + 1));
    if (name.empty() || (word != "allow" && word != "ask" && word != "deny"))
      return invalid_argument("\"" + std::string(one) + "\" is no permission",
                              "write TOOL=allow, TOOL=ask or TOOL=deny; TOOL may end in *");
    made.emplace_back(name, word == "allow" ? Permission::kAllow
                            : word == "ask" ? Permission::kAsk
                                            : Permission::kDeny);
  }
  if (!made.empty()) lists_.push_back(std::move(made));
  return {};
}

Permission Permissions::of(std::string_view tool) const {
  Permission strictest = Permission::kAllow;
  for (const List& list : lists_) {
    const std::pair<std::string, Permission>* best = nullptr;
    for (const auto& one : list)
      if (fits_pattern(one.first, tool) && (best == nullptr || one.first.size() >= best->first.size())) best = &one;
    if (best != nullptr) strictest = std::max(strictest, best->second);
  }
  return strictest;
}

}  // namespace weft
