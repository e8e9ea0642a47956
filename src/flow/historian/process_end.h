#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "flow/historian/queued_jobs.h"
#include "flow/historian/rewrite.h"
#include "flow/historian/write_gate.h"
#include "ports/store/store.h"
#include "weft/config.h"

namespace weft {

/// What the historian needs for the end of a turn.
struct EndPorts {
  const Config& config;
  Store& store;
  ChatModel* model = nullptr;  ///< of the role `historian`; null: the deterministic way alone
  Metrics& metrics;
  /// Judges a text against what the scope knows; `recalled` are memories that stood in the last prompt. Null: all is
  /// let in.
  std::function<std::optional<Refused>(std::string_view text, const GateContext& context)> judge;
  std::vector<std::string> recalled;  ///< memories that stood in the session's last prompt
};

/// What one end becomes.
struct EndResult {
  std::optional<ItemRow> event;  ///< nothing where the write gate refused it
  std::string refused;  ///< why, for the log
};

/// Works off the end of one turn: read the messages → put it in words that need no circumstances → gate → write gate →
/// event. Writes nothing. Errors: whatever the store says.
Result<EndResult> process_end(const EndPorts& ports, const EndJob& end, const Deadline& deadline);

}  // namespace weft
