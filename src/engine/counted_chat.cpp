#include "engine/counted_chat.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/trace.h"

namespace weft {
namespace {

void describe(TraceSpan& span, const std::string& model, const ChatRequest& request, const Result<ChatReply>& reply) {
  span.set("gen_ai.operation.name", "chat");
  span.set("gen_ai.request.model", model);
  span.set("gen_ai.request.max_tokens", request.max_tokens);
  if (!reply.ok()) {
    span.set("error.type", std::string(to_string(reply.error().code)));
    return span.fail(to_string(reply.error().code));
  }
  span.set("gen_ai.response.finish_reasons", std::vector<std::string>{reply->finish_reason});
  span.set("gen_ai.usage.input_tokens", reply->prompt_tokens);
  span.set("gen_ai.usage.output_tokens", reply->completion_tokens);
}

}  // namespace

Result<ChatReply> CountedChat::complete(const ChatRequest& request, const Deadline& deadline,
                                        const std::function<bool(std::string_view)>& on_text) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string model = TraceSpan::open() == nullptr ? std::string() : model_.name();
  TraceSpan span("chat " + model, SpanKind::kClient);
  auto reply = guarded("the model", [&] { return model_.complete(request, deadline, on_text); });
  if (span.on()) describe(span, model, request, reply);
  if (!reply.ok()) {
    ++use_.failed;
    return reply;
  }
  ++use_.answered;
  // A server that counts nothing may say -1.
  use_.prompt_tokens += static_cast<std::uint64_t>(std::max<std::int64_t>(reply->prompt_tokens, 0));
  use_.completion_tokens += static_cast<std::uint64_t>(std::max<std::int64_t>(reply->completion_tokens, 0));
  use_.time.add(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return reply;
}

}  // namespace weft
