#pragma once

#include "agent/agent_context.h"
#include "engine/services.h"

namespace weft {

class Prompts;

/// Prompts of a run from Weft's own context engine: the run is a session of its scope, its messages go into the stream
/// there, and what its prompts hold is woven like those of any conversation. One run uses it.
class SessionContext final : public AgentContext {
 public:
  SessionContext(const Services& services, Prompts& prompts, RequestContext request, std::int64_t output_tokens)
      : services_(services), prompts_(prompts), request_(std::move(request)), output_tokens_(output_tokens) {}
  Result<AgentPrompt> prompt(const RunState& state, const PromptWish& wish, const Deadline& deadline) override;
  Result<CompactedTo> compact(const RunState& state, std::int64_t window) override;
  Status finish(const RunState& state) override;

 private:
  Status observe(const RunState& state);
  const Services& services_;
  Prompts& prompts_;
  RequestContext request_;
  std::int64_t output_tokens_;
  std::size_t observed_ = 0;  ///< how many of the run's messages the session has
};

}  // namespace weft
