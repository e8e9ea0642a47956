#pragma once

#include <string>
#include <string_view>

#include "base/metric_family.h"

namespace weft::mcp {

/// Counts calls of tools for metrics. Tools are those that the server itself offers, so that labels stay few. Safe from
/// any thread.
class ToolMeter {
 public:
  ToolMeter()
      : calls_({"mcp_calls_total", "Calls of tools by MCP clients, by what became of them.", {"tool", "outcome"}}),
        time_({"mcp_call_seconds", "Time of these calls.", {"tool"}}) {}

  /// `tool` is one of ours; one that is not there is told as "unknown".
  void note(std::string_view tool, std::string_view outcome, double seconds) {
    calls_.add({std::string(tool), std::string(outcome)});
    time_.add({std::string(tool)}, seconds);
  }
  void note_unknown() { calls_.add({"unknown", "invalid_argument"}); }

  /// As text that Prometheus reads.
  std::string text() const {
    MetricsText out;
    calls_.write(out);
    time_.write(out);
    return out.take();
  }

 private:
  CounterFamily calls_;
  HistogramFamily time_;
};

}  // namespace weft::mcp
