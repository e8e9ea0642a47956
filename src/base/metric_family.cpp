#include "base/metric_family.h"

#include <algorithm>

namespace weft {

namespace {

// What the labels are is told with the meaning: a metric without values shows none.
std::string help_of(const MetricNames& names) {
  std::string help = names.help + " Labels:";
  for (const std::string& label : names.labels) help += (label == names.labels.front() ? " " : ", ") + label;
  return help + ".";
}

}  // namespace

void CounterFamily::add(const LabelValues& values, double by) { (*counts_.lock())[values] += by; }

void CounterFamily::drop(const std::string& value) {
  auto counts = counts_.lock();
  std::erase_if(*counts, [&](const auto& one) {
    return std::find(one.first.begin(), one.first.end(), value) != one.first.end();
  });
}

void CounterFamily::write(MetricsText& into) const {
  const auto counts = *counts_.lock();
  const std::string help = help_of(names_);
  into.declare(names_.name, help, "counter");
  for (const auto& [values, count] : counts)
    into.labelled(names_.name, help, "counter", label_text(names_.labels, values), count);
}

void HistogramFamily::add(const LabelValues& values, double seconds) {
  auto times = times_.lock();
  auto& own = (*times)[values];
  if (!own) own = std::make_unique<Histogram>();
  own->add(seconds);
}

void HistogramFamily::write(MetricsText& into) const {
  const std::string help = help_of(names_);
  into.declare(names_.name, help, "histogram");
  auto times = times_.lock();
  for (const auto& [values, time] : *times) into.histogram(names_.name, help, label_text(names_.labels, values), *time);
}

}  // namespace weft
