#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "surface/proxy/call_limits.h"
#include "surface/proxy/call_memory.h"
#include "surface/proxy/request.h"
#include "surface/proxy/scope_of_call.h"
#include "weft/engine.h"

namespace weft::proxy {

/// One call with everything that was found out about it.
struct Turn {
  ChatCall call = {};
  CallMemory memory = CallMemory::kOn;
  RequestContext request;
  SessionFinder::Held held;
  SessionId session;
  std::vector<Message> messages = {};  ///< what the model gets, once woven
  CallLimits limits;
  std::int64_t context_tokens = 0;
  std::vector<std::string> tools = {};  ///< that the model is offered; empty: all
  std::int64_t window = 0;  ///< that the context was made for
  std::uint64_t opening = 0;  ///< of its conversation, see `Recorder::opening_of`
  bool remembered = false;  ///< its conversation is with the engine, or on the way
  bool woven = false;
  TemplateNeeds needs = {};                ///< of the model's template, as far as refusals have told them
  bool shortened = false, joined = false;  ///< what a refusal has changed
  std::string retried = {};                ///< why the call was made once more; empty: it was not
};

}  // namespace weft::proxy
