#pragma once

#include <string>
#include <vector>

#include "agent/run_state.h"
#include "base/clock.h"

namespace weft {

/// What a prompt is made for.
struct PromptWish {
  std::string system;           ///< of the agent, and what the hooks add
  std::vector<ToolInfo> tools;  ///< that there are
  std::int64_t window = 0;      ///< of the model in tokens; 0: unknown
  std::string model;            ///< its name
  std::size_t offered = 0;      ///< tools that the call may offer at most; 0: as configured
};

/// The prompt of one model call.
struct AgentPrompt {
  std::vector<Message> messages;
  std::vector<std::string> tools;  ///< names of those that fit best
  std::int64_t tokens = 0;
  std::string compaction;  ///< id of the compaction whose summary stands in it; empty: none
};

/// What turns a run's state into prompts: the context engine, with memory and compaction. One run uses it at a time.
class AgentContext {
 public:
  virtual ~AgentContext() = default;
  virtual Result<AgentPrompt> prompt(const RunState& state, const PromptWish& wish, const Deadline& deadline) = 0;
  /// Makes what was said so far smaller, for the prompts to come. Gives what came of it.
  virtual Result<CompactedTo> compact(const RunState& state, std::int64_t window) = 0;
  /// The run has ended: what was said last is kept, too.
  virtual Status finish(const RunState& state) = 0;
};

}  // namespace weft
