#pragma once

#include <cstdint>
#include <string>

#include "surface/proxy/call_limits.h"
#include "surface/proxy/request.h"
#include "weft/engine.h"

namespace weft::proxy {

/// What goes to the model instead of what the client sent.
struct Woven {
  std::vector<Message> messages;  ///< those of the client carry `raw`
  std::int64_t tokens = 0;
  std::vector<std::string> tools;  ///< names of those the model is offered; empty: all that the client sent
  std::int64_t window = 0;  ///< that it was made for
};

/// Has the engine weave the context of a call. The client's messages go through untouched and in their order. Fails
/// where the result would not end as the client's conversation does.
Result<Woven> weave(Engine& engine, const RequestContext& request, const SessionId& session, ChatCall& call,
                    const CallLimits& limits);

}  // namespace weft::proxy
