// The counters as text that Prometheus reads (text format 0.0.4).
#include <fmt/format.h>

#include "base/metrics_text.h"
#include "base/process_metrics.h"
#include "engine/engine_core.h"
#include "engine/operations.h"
#include "weft/version.h"

namespace weft {
namespace {

double number(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace

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

}  // namespace weft
