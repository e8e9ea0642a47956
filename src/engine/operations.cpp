#include "engine/operations.h"

#include <fmt/format.h>
#include <set>
#include <thread>

#include "base/metrics.h"
#include "engine/engine_core.h"
#include "weft/version.h"

namespace weft {
namespace {

Error no_failed(const JobId& job) {
  return not_found("no failed job " + job.str(), "`weft queue list` lists the jobs");
}

double number(std::uint64_t count) { return static_cast<double>(count); }

constexpr std::size_t kAllEvents = 100'000'000;
constexpr std::size_t kExamples = 10;
constexpr std::size_t kWrittenAtOnce = 64;

// Whether the event says something else now.
bool note(RepairReport& report, const ItemRow& before, const std::optional<ItemRow>& after) {
  ++report.events;
  if (!after) {
    ++report.kept;
    return false;
  }
  if (after->item.text == before.item.text && after->item.writing == before.item.writing) {
    ++report.same;
    return false;
  }
  ++report.changed;
  if (report.examples.size() < kExamples)
    report.examples.push_back({before.scope, before.item.id, before.item.text, after->item.text});
  return true;
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

// The counters as text that Prometheus reads (text format 0.0.4).

std::string Operations::metrics_text(bool names) {
  MetricsText text;
  const JobCounts jobs = core_.store->jobs().counts(core_.clock->now().ms).value_or({});
  for (const auto& [label, count] :
       {std::pair{"pending", jobs.pending}, {"processing", jobs.processing}, {"failed", jobs.failed}})
    text.labelled("queue_jobs", "Jobs in the queue by state.", "gauge", fmt::format("state=\"{}\"", label),
                  number(count));
  text.counter("jobs_done_total", "Jobs worked off.", number(core_.metrics.jobs_done));
  text.counter("jobs_retried_total", "Attempts that failed and are tried again.", number(core_.metrics.jobs_retried));
  text.counter("jobs_failed_total", "Jobs given up.", number(core_.metrics.jobs_failed));
  text.histogram("job_seconds", "Time spent on jobs that were done.", "", core_.metrics.job_time);
  for (const auto& [operation, time] : {std::pair{"observe", &core_.metrics.observe_time},
                                        {"sync", &core_.metrics.sync_time},
                                        {"context", &core_.metrics.context_time},
                                        {"search", &core_.metrics.search_time},
                                        {"end", &core_.metrics.end_time}})
    text.histogram("call_seconds", "Time callers waited, by operation.", fmt::format("operation=\"{}\"", operation),
                   *time);
  text.counter("ends_total", "Turns ended with something to keep.", number(core_.metrics.ends));
  text.counter("historian_model_calls_total", "Rewrites asked of the model.", number(core_.metrics.model_calls));
  text.counter("compactions_total", "Sessions whose older turns were put in short.", number(core_.metrics.compactions));
  text.counter("compactions_prepared_total", "Summaries made in the background before they were needed.",
               number(core_.metrics.compactions_prepared));
  text.counter("compactions_failed_total", "Compactions that failed; the prompt was trimmed instead.",
               number(core_.metrics.compactions_failed));
  text.counter("historian_rewrites_total", "Answers of the model that were not taken.", number(core_.metrics.rewrites));
  for (const auto& [label, count] :
       {std::pair{"passed", core_.metrics.gate_passed.load()}, {"degraded", core_.metrics.gate_degraded.load()}})
    text.labelled("gate_events_total", "Events by what the gate found.", "counter", fmt::format("result=\"{}\"", label),
                  number(count));
  for (const auto& [label, count] : {std::pair{"empty_talk", core_.metrics.refused_empty_talk.load()},
                                     {"duplicate", core_.metrics.refused_duplicate.load()},
                                     {"echo", core_.metrics.refused_echo.load()},
                                     {"loop", core_.metrics.refused_loop.load()}})
    text.labelled("write_gate_refused_total", "What did not become a memory, by reason.", "counter",
                  fmt::format("reason=\"{}\"", label), number(count));
  text.counter("suspect_memories_total", "Memories of tools told with a mark, since they read like instructions.",
               number(core_.metrics.suspect_memories));
  text.counter("profiles_written_total", "Profiles changed.", number(core_.metrics.profiles_written));
  core_.usage->write(text, names);
  const EngineStatus now = status();
  text.gauge("healthy", "0: what is asked for cannot be kept; 1: it goes on with less; 2: all is well.",
             now.health() == "ok"         ? 2
             : now.health() == "degraded" ? 1
                                          : 0);
  constexpr std::string_view kAlarm = "What is wrong, by its code; none: all is well. Labels: code.";
  text.declare("alarm", kAlarm, "gauge");
  for (const Problem& problem : now.problems)
    text.labelled("alarm", kAlarm, "gauge", fmt::format("code=\"{}\"", problem.code), 1);
  constexpr std::string_view kBehind = "Log entries that a reader has not read yet.";
  constexpr std::string_view kAge = "Age of the oldest log entry that a reader has not read yet.";
  for (const ReaderStatus& reader : now.readers)
    text.labelled("reader_entries", kBehind, "gauge", fmt::format("reader=\"{}\"", reader.name),
                  number(reader.entries));
  for (const ReaderStatus& reader : now.readers)
    text.labelled("reader_seconds", kAge, "gauge", fmt::format("reader=\"{}\"", reader.name), number(reader.seconds));
  const auto since = jobs.waiting_since;
  text.gauge("queue_oldest_seconds", "How long the job that waits longest could have run.",
             since ? static_cast<double>(core_.clock->now().ms - *since) / 1000 : 0);
  if (const auto counts = core_.store->counts(); counts.ok()) {
    text.gauge("messages", "Messages kept.", number(counts->messages));
    text.gauge("items", "Items kept.", number(counts->items));
    text.gauge("blocks_without_topic", "Turns that wait for their topic.", number(counts->waiting_blocks));
    const bool none = core_.change->serving()->model.state() == "none";
    text.gauge("items_without_vector", "Items that wait for their vector.", number(none ? 0 : counts->unembedded));
  }
  text.labelled("build_info", "Always 1; the version is in its label.", "gauge", label_text({{"version", kVersion}}),
                1);
  MetricsText process("");
  write_process(process);
  text.append(process.take());
  auto sources = sources_.lock();
  for (const auto& [source, told] : *sources) text.append(told());
  return text.take();
}

std::uint64_t Operations::add_metrics(std::function<std::string()> text) {
  auto sources = sources_.lock();
  const std::uint64_t number = sources->empty() ? 1 : sources->rbegin()->first + 1;
  sources->emplace(number, std::move(text));
  return number;
}

void Operations::remove_metrics(std::uint64_t number) { sources_.lock()->erase(number); }

// Events made anew from their sources, while calls go on.

// A session is held while its event is read and written, so that no branch is left and nothing is erased in between.
Result<RepairReport> Operations::repair_events(bool dry_run) {
  RepairReport report;
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& scope : scopes) {
    WEFT_TRY(const auto events, core_.store->items().of_kind(scope, ItemKind::kEvent, kAllEvents));
    for (std::size_t first = 0; first < events.size();) {
      const SessionId& session = events[first].item.session;
      const auto pass = core_.erasure_gate.work(scope);
      WEFT_TRY(const auto held, core_.sessions->hold(scope, session));
      WriteBatch batch;
      for (std::size_t taken = 0;
           first < events.size() && taken < kWrittenAtOnce && events[first].item.session == session; ++first, ++taken) {
        // What has been erased or replaced since it was listed is read again.
        WEFT_TRY(const auto rows, core_.store->items().get(scope, std::span(&events[first].row, 1)));
        if (rows.empty()) continue;
        WEFT_TRY(auto again, event_again(core_.historian_ports(), rows.front()));
        if (!note(report, rows.front(), again) || dry_run) continue;
        again->vector.clear();
        again->model.clear();
        batch.items.push_back(std::move(*again));
      }
      if (!batch.items.empty()) WEFT_CHECK(core_.keep_written(batch));
    }
  }
  return report;
}

}  // namespace weft
