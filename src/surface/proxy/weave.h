#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "surface/http/exchange.h"
#include "surface/proxy/refusal.h"
#include "surface/proxy/request.h"
#include "weft/engine.h"
#include "weft/model_traits.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft::proxy {

/// What a call leaves of its model's window.
struct CallLimits {
  std::int64_t window = 0;      ///< 0: as the engine knows of the model
  std::int64_t output = 0;      ///< kept for the answer; 0: as configured
  std::int64_t other = 0;       ///< of what goes along with the messages: tools, a schema
  SystemMessages system_messages = SystemMessages::kUnknown;
  bool named = false;           ///< the client itself named the window
};

/// The headers X-Weft-Window and X-Weft-Output come first, then what the body asks for (`max_completion_tokens`,
/// `max_tokens`, `max_output_tokens`), then what is known of the model. kInvalidArgument for a header that is no number
/// of tokens.
Result<CallLimits> limits_of_call(const http::Request& request, const ChatCall& call, const ModelTraits& known);

/// What a call takes of a window, by estimate, as its budget counts it: messages with their images and files, and what
/// goes along with them.
std::int64_t tokens_of(const ChatCall& call);

/// A window in which the call is to be made once more: the one that the refusal names, or a smaller one than was
/// `used`; smaller still where the server counts more tokens than we did (`counted`).
std::int64_t smaller_window(const Refusal& refusal, std::int64_t used, std::int64_t counted);

/// The tools that the body of a chat call, or of one of the Responses API, offers, in its order; empty where it has
/// none, or one of them cannot be read. `body` is a valid JSON object.
std::vector<ToolInfo> tools_in(std::string_view body);

/// The body with those of its tools alone that are named, each byte for byte as it came. Tools that are no functions (a
/// server's own), and one that "tool_choice" asks for, stay. The body as it is where nothing would be left.
std::string with_tools(std::string body, const std::vector<std::string>& names);

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

/// What a call has to do with memory.
enum class CallMemory : std::uint8_t {
  kOn,  ///< memories are woven in, what is said is kept
  kRecord,  ///< nothing is woven in, what is said is kept
  kOff,  ///< neither: the call goes through as if Weft were not there
};

/// What the call's header `X-Weft-Memory` says ("on", "record" or "off"), else `otherwise`. kInvalidArgument for any
/// other word: whoever wrote "no" must not find the talk remembered.
Result<CallMemory> memory_of_call(const http::Request& request, CallMemory otherwise);

}  // namespace weft::proxy
