#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/histogram.h"

namespace weft {

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

}  // namespace weft
