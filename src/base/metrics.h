#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/threads.h"

namespace weft {

/// How long something took, counted by bounds, so that an operator can see the slow ones. Safe from any thread.
class Histogram {
 public:
  /// Seconds; what took longer than the last stands behind it.
  static constexpr std::array<double, 17> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                     1,     2.5,    5,     10,   30,    60,   120, 300};

  void add(double seconds) {
    std::size_t at = 0;
    while (at < kBounds.size() && seconds > kBounds[at]) ++at;
    ++counts_[at];
    micros_ += static_cast<std::uint64_t>(seconds * 1e6);
  }
  std::uint64_t count(std::size_t bound) const { return counts_[bound]; }  ///< between this bound and the one before
  double seconds() const { return static_cast<double>(micros_) / 1e6; }  ///< of all together

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::uint64_t> micros_{0};
};

/// Adds the time of its life.
class Timed {
 public:
  explicit Timed(Histogram& histogram) : histogram_(histogram) {}
  ~Timed() { histogram_.add(clock_.ms() / 1000); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Histogram& histogram_;
  Stopwatch clock_;
};

/// Names from outside as labels of metrics, which must stay few: the first ones are told as they are, further ones as
/// "other". An empty name is "none", a long one is cut. For one thread at a time.
class BoundedNames {
 public:
  explicit BoundedNames(std::size_t most) : most_(most) {}

  /// How the name is told. `earns`: it gets a place if there is one; else it is told as it is only where it has one.
  std::string told(std::string_view name, bool earns = true) {
    if (name.empty()) return "none";
    std::string own = shortened(name);
    if (known_.contains(own)) return own;
    if (!earns || known_.size() >= most_) return "other";
    known_.insert(own);
    return own;
  }
  /// The name gives up its place.
  void drop(const std::string& name) { known_.erase(shortened(name)); }

  /// A name that is not too long. No character is cut in two, which would spoil the whole text that it stands in.
  static std::string shortened(std::string_view name) {
    std::size_t end = std::min(name.size(), kLongest);
    constexpr unsigned kMask = 0xC0, kInner = 0x80;
    while (end < name.size() && end > 0 && (static_cast<unsigned char>(name[end]) & kMask) == kInner) --end;
    return std::string(name.substr(0, end));
  }

 private:
  static constexpr std::size_t kLongest = 120;  // bytes

  const std::size_t most_;
  std::set<std::string> known_;
};

/// Labels of a metric as they stand between its braces, values escaped: `role="main",kind="prompt"`.
std::string label_text(std::initializer_list<std::pair<std::string_view, std::string_view>> labels);
std::string label_text(std::span<const std::string> names, std::span<const std::string> values);

/// Writes figures as text that Prometheus reads (text format 0.0.4). The values of one metric are written one after the
/// other; the first writes its head. For one thread.
class MetricsText {
 public:
  /// `prefix` stands before every name.
  explicit MetricsText(std::string prefix = "weft_") : prefix_(std::move(prefix)) {}

  void counter(std::string_view name, std::string_view help, double value) {
    labelled(name, help, "counter", {}, value);
  }
  void gauge(std::string_view name, std::string_view help, double value) { labelled(name, help, "gauge", {}, value); }
  /// One of several values. `labels` as `label_text` gives them; empty: none.
  void labelled(std::string_view name, std::string_view help, std::string_view type, std::string_view labels,
                double value);
  /// The values of a histogram are counted up to each bound.
  void histogram(std::string_view name, std::string_view help, std::string_view labels, const Histogram& values);

  /// Writes the head of a metric, also where it has no value yet: who reads finds out which there are.
  void declare(std::string_view name, std::string_view help, std::string_view type);
  /// Takes over text that was written elsewhere, of metrics with other names.
  void append(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  void value(std::string_view name, std::string_view part, std::string_view labels, double value);

  std::string prefix_, text_, last_;
};

/// What a metric with labels is called, and what its labels are.
struct MetricNames {
  std::string name, help;
  std::vector<std::string> labels;
};

/// Values of the labels, in their order.
using LabelValues = std::vector<std::string>;

/// A counter for each combination of labels that was met. Who counts sees to it that there are few. Safe from any
/// thread.
class CounterFamily {
 public:
  explicit CounterFamily(MetricNames names) : names_(std::move(names)) {}

  /// With `by` 0 the combination is told from now on, too.
  void add(const LabelValues& values, double by = 1);
  /// Drops every combination in which a label has this value.
  void drop(const std::string& value);
  void write(MetricsText& into) const;

 private:
  const MetricNames names_;
  mutable Sync<std::map<LabelValues, double>> counts_;
};

/// The same of times.
class HistogramFamily {
 public:
  explicit HistogramFamily(MetricNames names) : names_(std::move(names)) {}

  void add(const LabelValues& values, double seconds);
  void write(MetricsText& into) const;

 private:
  const MetricNames names_;
  mutable Sync<std::map<LabelValues, std::unique_ptr<Histogram>>> times_;
};

/// What the operating system says of this process, in Prometheus' own names (process_resident_memory_bytes …): without
/// a prefix, so the text must have none. What cannot be read is left out.
void write_process(MetricsText& into);

/// What the engine counts since it was opened, for operators. Safe from any thread.
struct Metrics {
  std::atomic<std::size_t> jobs_in_work{0};  ///< taken, and not yet counted as done
  std::atomic<std::uint64_t> jobs_done{0}, jobs_retried{0}, jobs_failed{0};
  std::atomic<std::uint64_t> ends{0};  ///< calls that end a turn
  Histogram observe_time, sync_time, context_time, search_time, end_time;  ///< what callers waited
  Histogram job_time;  ///< spent on jobs that are done
  std::atomic<std::uint64_t> model_calls{0}, rewrites{0};  ///< asked of the historian's model, and answers not taken
  std::atomic<std::uint64_t> gate_passed{0}, gate_degraded{0};
  std::atomic<std::uint64_t> refused_empty_talk{0}, refused_duplicate{0}, refused_echo{0}, refused_loop{0};
  std::atomic<std::uint64_t> profiles_written{0};
  std::atomic<std::uint64_t> suspect_memories{0};  ///< told with a mark, since they read as if they gave orders
  std::atomic<std::uint64_t> compactions{0}, compactions_prepared{0}, compactions_failed{0};
};

}  // namespace weft
