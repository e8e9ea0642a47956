// The counters as text that Prometheus reads (text format 0.0.4).
#include <fmt/format.h>

#include "engine/engine_impl.h"

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

}  // namespace

std::string EngineImpl::metrics_text() {
  MetricsText text;
  const auto jobs = queue_->counts();
  for (const auto& [label, count] :
       {std::pair{"pending", jobs.pending}, {"processing", jobs.processing}, {"failed", jobs.failed}})
    text.labelled("queue_jobs", "Jobs in the queue by state.", "gauge", fmt::format("state=\"{}\"", label),
                  number(count));
  text.counter("jobs_done_total", "Jobs worked off.", number(metrics_.jobs_done));
  text.counter("jobs_retried_total", "Attempts that failed and are tried again.", number(metrics_.jobs_retried));
  text.counter("jobs_failed_total", "Jobs given up.", number(metrics_.jobs_failed));
  text.histogram("job_seconds", "Time spent on jobs that were done.", "", metrics_.job_time);
  for (const auto& [operation, time] : {std::pair{"observe", &metrics_.observe_time},
                                        {"sync", &metrics_.sync_time},
                                        {"context", &metrics_.context_time},
                                        {"search", &metrics_.search_time},
                                        {"end", &metrics_.end_time}})
    text.histogram("call_seconds", "Time callers waited, by operation.", fmt::format("operation=\"{}\"", operation),
                   *time);
  text.counter("ends_total", "Turns ended with something to keep.", number(metrics_.ends));
  text.counter("historian_model_calls_total", "Rewrites asked of the model.", number(metrics_.model_calls));
  text.counter("compactions_total", "Sessions whose older turns were put in short.", number(metrics_.compactions));
  text.counter("compactions_prepared_total", "Summaries made in the background before they were needed.",
               number(metrics_.compactions_prepared));
  text.counter("compactions_failed_total", "Compactions that failed; the prompt was trimmed instead.",
               number(metrics_.compactions_failed));
  text.counter("historian_rewrites_total", "Answers of the model that were not taken.", number(metrics_.rewrites));
  for (const auto& [label, count] :
       {std::pair{"passed", metrics_.gate_passed.load()}, {"degraded", metrics_.gate_degraded.load()}})
    text.labelled("gate_events_total", "Events by what the gate found.", "counter", fmt::format("result=\"{}\"", label),
                  number(count));
  for (const auto& [label, count] : {std::pair{"empty_talk", metrics_.refused_empty_talk.load()},
                                     {"duplicate", metrics_.refused_duplicate.load()},
                                     {"echo", metrics_.refused_echo.load()},
                                     {"loop", metrics_.refused_loop.load()}})
    text.labelled("write_gate_refused_total", "What did not become a memory, by reason.", "counter",
                  fmt::format("reason=\"{}\"", label), number(count));
  text.counter("profiles_written_total", "Profiles changed.", number(metrics_.profiles_written));
  const EngineStatus now = status();
  text.gauge("healthy", "0: what is asked for cannot be kept; 1: it goes on with less; 2: all is well.",
             now.health() == "ok"         ? 2
             : now.health() == "degraded" ? 1
                                          : 0);
  for (const Problem& problem : now.problems)
    text.labelled("alarm", "What is wrong, by code.", "gauge", fmt::format("code=\"{}\"", problem.code), 1);
  const auto since = queue_->waiting_since(clock_->now().ms);
  text.gauge("queue_oldest_seconds", "How long the job that waits longest could have run.",
             since ? static_cast<double>(clock_->now().ms - *since) / 1000 : 0);
  if (const auto counts = store_->counts(); counts.ok()) {
    text.gauge("messages", "Messages kept.", number(counts->messages));
    text.gauge("items", "Items kept.", number(counts->items));
    const bool none = change_->serving()->model.state() == "none";
    text.gauge("items_without_vector", "Items that wait for their vector.", number(none ? 0 : counts->unembedded));
  }
  return text.take();
}

}  // namespace weft
