#include "engine/counted_chat.h"

#include <string>
#include <vector>

#include "base/accounted_to.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/trace.h"
#include "model/counted_text.h"

namespace weft {
namespace {

constexpr double kMsPerSecond = 1000;

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
  const Stopwatch clock;
  double first = -1;
  const auto watched = [&](std::string_view text) {
    if (first < 0) first = clock.ms() / kMsPerSecond;
    return on_text(text);
  };
  const std::string model = TraceSpan::open() == nullptr ? std::string() : model_.name();
  TraceSpan span("chat " + model, SpanKind::kClient);
  auto reply = guarded("the model", [&] {
    return model_.complete(request, deadline, on_text ? std::function<bool(std::string_view)>(watched) : on_text);
  });
  if (span.on()) describe(span, model, request, reply);
  if (tell_) account(request, reply, clock.ms() / kMsPerSecond, first);
  return reply;
}

void CountedChat::account(const ChatRequest& request, const Result<ChatReply>& reply, double seconds,
                          double first) const {
  const Account whose = AccountedTo::current();
  ModelCall call{whose.scope, whose.key, role_, model_.name()};
  call.seconds = seconds;
  call.first_token_seconds = first;
  if (!reply.ok()) {
    call.outcome = to_string(reply.error().code);
    call.input_tokens = call.output_tokens = 0;
    return tell_(call);
  }
  // A server that counts nothing says 0 or -1.
  std::string asked;
  call.input_tokens = reply->prompt_tokens > 0 ? reply->prompt_tokens : -1;
  if (call.input_tokens < 0)
    for (const Message& message : request.messages) asked += counted_text(message) + "\n";
  call.output_tokens = reply->completion_tokens > 0 ? reply->completion_tokens : -1;
  call.input_text = asked;
  call.output_text = reply->message.content;
  tell_(call);
}

}  // namespace weft
