#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "base/metrics_text.h"
#include "base/sync.h"

namespace weft {

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

}  // namespace weft
