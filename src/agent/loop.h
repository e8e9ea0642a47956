#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/loop_run.h"

namespace weft {

/// Runs one agent: collect, assemble, infer, act, until it has ended. What is to be done next follows from the state
/// alone, so a run that was killed anywhere goes on from its stream, and no call that has answered is made again.
/// Errors are those of the stream; failures of models and tools are events.
class AgentLoop {
 public:
  AgentLoop(std::string run, LoopParts parts, LoopSettings settings, LoopStop& stop);
  Result<LoopEnd> run();

  const RunState& state() const { return run_.state; }

 private:
  Result<LoopNext> turn();
  Result<LoopNext> stopped();

  // The end, and what leads to it.
  std::optional<LimitReached> reached() const;
  Result<LoopNext> finish(AgentOutput output);
  Result<LoopNext> close();
  Result<LoopNext> finish_at_limit();
  void verify(AgentOutput& output);
  Status make_smaller();

  // The model.
  Result<LoopNext> infer();
  Status look_for_gaps();
  Status tell_what_was_learnt();
  Result<ChatReply> ask_model(const ChatRequest& request);
  ChatRequest request_of(const AgentPrompt& prompt) const;
  std::string system_text() const;
  Status note_compaction(const AgentPrompt& prompt);

  LoopRun run_;
  LoopCalls calls_;
};

}  // namespace weft
