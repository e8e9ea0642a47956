// What is wrong, in words, and what to do about it: for /healthz, `weft doctor`, the metrics and the log.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/embedder_file.h"
#include "engine/engine_core.h"
#include "engine/operations.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kProbeAge{5};  // a trial write is not repeated before
constexpr std::chrono::seconds kWatch{30};    // between two looks of the engine's own
constexpr std::uint64_t kEnoughJobs = 20, kEnoughEvents = 100;  // before a share says anything
constexpr std::int64_t kDay = 86'400'000;

double share(std::uint64_t good, std::uint64_t bad) {
  return static_cast<double>(good) / static_cast<double>(std::max<std::uint64_t>(1, good + bad));
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

void look_at_disk(const Config& config, std::vector<Problem>& problems) {
  std::error_code failed;
  const auto space = std::filesystem::space(config.workspace, failed);
  if (failed || space.available >= static_cast<std::uintmax_t>(config.health.min_free_bytes)) return;
  problems.push_back({"disk", false,
                      fmt::format("the disk of {} has {} MB left", config.workspace, space.available >> 20),
                      "free some space; nothing that was acknowledged is lost, but soon nothing more can be kept"});
}

void look_at_embedder(const EngineStatus& status, std::vector<Problem>& problems) {
  if (status.embedder_state.starts_with("failed"))
    problems.push_back({"embedder", false, "the embedder " + status.embedder_state,
                        embedder_advice() + "; until then words alone are searched"});
  if (status.next_embedder_state.starts_with("failed"))
    problems.push_back({"next_embedder", false,
                        "the embedder " + status.next_embedder + " " + status.next_embedder_state,
                        "mend the new model, or go back to embedding.model = \"" + status.embedder + "\""});
}

void look_at_shares(const Config& config, const Metrics& metrics, std::vector<Problem>& problems) {
  const std::uint64_t done = metrics.jobs_done, failed = metrics.jobs_failed;
  if (done + failed >= kEnoughJobs && share(done, failed) < config.health.min_job_success)
    problems.push_back({"job_success", false, "only " + percent(share(done, failed)) + " of the jobs succeeded",
                        "`weft queue list` shows why the others did not"});
  const std::uint64_t passed = metrics.gate_passed, degraded = metrics.gate_degraded;
  if (passed + degraded >= kEnoughEvents && share(passed, degraded) < config.health.min_gate_pass)
    problems.push_back({"gate_pass", false,
                        "only " + percent(share(passed, degraded)) + " of the events passed the gate",
                        "a model of the role \"historian\" words them better; see docs/presets.md"});
}

void look_at_queue(const Config& config, const JobCounts& counts, std::int64_t now_ms, std::vector<Problem>& problems) {
  if (counts.failed > 0)
    problems.push_back({"queue_failed", false, std::to_string(counts.failed) + " jobs have failed for good",
                        "`weft queue list` shows why; `weft queue retry --all` tries them again"});
  const auto waiting = static_cast<std::int64_t>(counts.pending);
  if (waiting > config.health.queue_depth)
    problems.push_back({"queue_depth", false, std::to_string(waiting) + " jobs wait in the queue",
                        "raise historian.workers, or give the historian a faster model"});
  const auto since = counts.waiting_since;
  if (since && now_ms - *since > config.health.queue_seconds * 1000)
    problems.push_back({"queue_stuck", false,
                        "a job that could run has waited for " + std::to_string((now_ms - *since) / 1000) + " seconds",
                        "see the log for what the workers are at, raise historian.workers, or restart"});
}

// `open`: how long the engine has been; what was kept before it was opened has waited no longer for it.
void look_at_readers(const Config& config, const EngineStatus& status, std::chrono::seconds open,
                     std::vector<Problem>& problems) {
  std::string failing, behind;
  for (const ReaderStatus& reader : status.readers) {
    if (!reader.failure.empty()) failing += (failing.empty() ? "" : "; ") + reader.name + ": " + reader.failure;
    if (std::min<std::int64_t>(static_cast<std::int64_t>(reader.seconds), open.count()) > config.health.queue_seconds)
      behind += fmt::format("{}{} by {} entries, {} seconds", behind.empty() ? "" : "; ", reader.name, reader.entries,
                            reader.seconds);
  }
  if (!failing.empty())
    problems.push_back({"reader_failed", false, "background work on what was kept fails: " + failing,
                        "remove the cause; it is tried again within a minute, and goes on where it stopped"});
  if (!behind.empty())
    problems.push_back({"reader_behind", false, "background work on what was kept is behind: " + behind,
                        "see the log; nothing is lost, days and preferences follow later"});
}

}  // namespace

// Whether rows can be written, tried now and then: a disk may be read and take nothing any more.
Status Operations::probe_store() {
  auto watch = watch_.lock();
  const auto now = std::chrono::steady_clock::now();
  if (watch->probed && now - *watch->probed < kProbeAge) return watch->written;
  watch->written = core_.store->set_note("probe", format_time(core_.clock->now()));
  watch->probed = now;
  return watch->written;
}

std::vector<Problem> Operations::problems(const EngineStatus& status) {
  std::vector<Problem> problems;
  if (const Status written = probe_store(); !written.ok())
    problems.push_back({"store", true, "nothing can be kept: " + written.error().message,
                        written.error().hint.empty() ? "see the log" : written.error().hint});
  look_at_disk(core_.config, problems);
  const std::int64_t now_ms = core_.clock->now().ms;
  if (const auto counts = core_.store->jobs().counts(now_ms); counts.ok())
    look_at_queue(core_.config, *counts, now_ms, problems);
  const auto open = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - opened_);
  look_at_readers(core_.config, status, open, problems);
  look_at_embedder(status, problems);
  if (core_.topics_by_words)
    problems.push_back({"topics_by_words", false,
                        "the embedding model does not answer in time; topics are decided by words",
                        "look at the model or its endpoint; it is asked again within a minute"});
  look_at_shares(core_.config, core_.metrics, problems);
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.failing && !b.failing; });
  return problems;
}

// Tells the log of what has become wrong, and of what is well again.
std::optional<std::chrono::milliseconds> Operations::watch_health(std::stop_token) {
  purge_old_failures();
  trim_log();
  // Nobody asked: an idle engine writes nothing, not even for a trial.
  watch_.lock()->probed = std::chrono::steady_clock::now();
  const EngineStatus now = status();
  std::set<std::string> codes;
  for (const Problem& problem : now.problems) codes.insert(problem.code);
  auto watch = watch_.lock();
  for (const Problem& problem : now.problems)
    if (!watch->known.contains(problem.code))
      log_warning("alarm." + problem.code, problem.what + " (" + problem.advice + ")");
  for (const std::string& code : watch->known)
    if (!codes.contains(code)) log_warning("alarm." + code, "is over");
  watch->known = std::move(codes);
  return kWatch;
}

void Operations::trim_log() {
  const Status trimmed = core_.log_readers->trim(core_.config.retention.log_entries);
  if (!trimmed.ok()) log_error("log.retention", trimmed.error().message);
}

void Operations::purge_old_failures() {
  if (core_.config.retention.failed_job_days <= 0) return;
  const std::int64_t oldest = core_.clock->now().ms - core_.config.retention.failed_job_days * kDay;
  const auto gone =
      ends_.erase_jobs([&](const Job& job) { return job.state == JobState::kFailed && job.created_ms < oldest; });
  if (!gone.ok())
    log_error("queue.retention", gone.error().message);
  else if (*gone > 0)
    log_info("queue.retention", std::to_string(*gone) + " old failed jobs were removed");
}

}  // namespace weft
