#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/agent.h"

namespace weft {

/// Which of a run's messages are erased.
struct RunRedaction {
  std::function<bool(const std::string& message)> goes;  ///< by the message's id
  std::function<bool(std::string_view text)> repeats;    ///< whether a text made of other runs holds erased words
};

/// What is left of a run.
struct RedactedRun {
  bool changed = false;
  bool nothing_left = false;  ///< all of its messages go
  std::vector<BusEvent> events;      ///< numbered as before; without the words that go
  std::vector<std::string> handles;  ///< of outputs that go and were kept whole
  std::vector<std::string> questions;  ///< ids of those that were asked in what goes, or answered by it
  /// Files that the run wrote by calls that go, below the work folder, with what it wrote.
  std::vector<std::pair<std::string, std::string>> files;
};

/// Takes the words of erased messages out of a run's events: out of the messages themselves, and of what says the same
/// again: intents, questions, answers, what sub-agents were told, the final output. Numbers and kinds of events stay,
/// so that they fold as before. Events that say nothing of their type lose their payload.
RedactedRun redact_run(const std::string& run, std::span<const BusEvent> events, const RunRedaction& redaction);

}  // namespace weft
