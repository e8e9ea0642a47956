// The counters as text that Prometheus reads (text format 0.0.4).
#include <fmt/format.h>

#include "engine/engine_core.h"
#include "engine/operations.h"

namespace weft {
namespace {

class MetricsText {
 public:
  void counter(std::string_view name, std::string_view help, double value) { add(name, help, "counter", {}, value); }
  void gauge(std::string_view name, std::string_view help, double value) { add(name, help, "gauge", {}, value); }
  /// A family of values; the first call of a name writes its head.
  void labelled(std::string_view name, std::string_view help, std::string_view type, std::string_view label,
                double value) {
    add(name, help, type, label, value);
  }
  /// The values of a histogram are counted up to each bound.
  void histogram(std::string_view name, std::string_view help, std::string_view label, const Histogram& values) {
    const std::string more = label.empty() ? "" : std::string(label) + ",";
    std::uint64_t count = 0;
    for (std::size_t i = 0; i <= Histogram::kBounds.size(); ++i) {
      count += values.count(i);
      const std::string bound =
          i < Histogram::kBounds.size() ? fmt::format("{}", Histogram::kBounds[i]) : std::string("+Inf");
      add_part(name, "_bucket", help, more + "le=\"" + bound + "\"", static_cast<double>(count));
    }
    add_part(name, "_sum", help, label, values.seconds());
    add_part(name, "_count", help, label, static_cast<double>(count));
  }
  std::string take() { return std::move(text_); }

 private:
  void add(std::string_view name, std::string_view help, std::string_view type, std::string_view label, double value) {
    head(name, help, type);
    text_ += fmt::format("weft_{}{} {}\n", name, label.empty() ? "" : fmt::format("{{{}}}", label), value);
  }
  void add_part(std::string_view name, std::string_view part, std::string_view help, std::string_view label,
                double value) {
    head(name, help, "histogram");
    text_ += fmt::format("weft_{}{}{} {}\n", name, part, label.empty() ? "" : fmt::format("{{{}}}", label), value);
  }
  void head(std::string_view name, std::string_view help, std::string_view type) {
    if (name != last_) text_ += fmt::format("# HELP weft_{0} {1}\n# TYPE weft_{0} {2}\n", name, help, type);
    last_ = name;
  }
  std::string text_, last_;
};

double number(std::uint64_t count) { return static_cast<double>(count); }

// Calls, tokens and time of each role: what the models cost.
void add_models(MetricsText& text, const ModelSet& models) {
  for (const auto& [role, chat] : models.counted())
    for (const auto& [outcome, count] :
         {std::pair{"answered", chat->use().answered.load()}, {"failed", chat->use().failed.load()}})
      text.labelled("model_calls_total", "Calls of chat models, by role.", "counter",
                    fmt::format("role=\"{}\",outcome=\"{}\"", role, outcome), number(count));
  for (const auto& [role, chat] : models.counted())
    for (const auto& [kind, count] :
         {std::pair{"prompt", chat->use().prompt_tokens.load()}, {"completion", chat->use().completion_tokens.load()}})
      text.labelled("model_tokens_total", "Tokens of these calls, as the model's server counts them.", "counter",
                    fmt::format("role=\"{}\",kind=\"{}\"", role, kind), number(count));
  for (const auto& [role, chat] : models.counted())
    text.histogram("model_seconds", "Time of calls that were answered.", fmt::format("role=\"{}\"", role),
                   chat->use().time);
}

}  // namespace

std::string Operations::metrics_text() {
  MetricsText text;
  const auto jobs = core_.queue->counts();
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
  if (core_.models) add_models(text, *core_.models);
  const EngineStatus now = status();
  text.gauge("healthy", "0: what is asked for cannot be kept; 1: it goes on with less; 2: all is well.",
             now.health() == "ok"         ? 2
             : now.health() == "degraded" ? 1
                                          : 0);
  for (const Problem& problem : now.problems)
    text.labelled("alarm", "What is wrong, by code.", "gauge", fmt::format("code=\"{}\"", problem.code), 1);
  const auto since = core_.queue->waiting_since(core_.clock->now().ms);
  text.gauge("queue_oldest_seconds", "How long the job that waits longest could have run.",
             since ? static_cast<double>(core_.clock->now().ms - *since) / 1000 : 0);
  if (const auto counts = core_.store->counts(); counts.ok()) {
    text.gauge("messages", "Messages kept.", number(counts->messages));
    text.gauge("items", "Items kept.", number(counts->items));
    const bool none = core_.change->serving()->model.state() == "none";
    text.gauge("items_without_vector", "Items that wait for their vector.", number(none ? 0 : counts->unembedded));
  }
  return text.take();
}

}  // namespace weft
