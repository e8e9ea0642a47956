#include "flow/compaction/model_call.h"

#include <condition_variable>
#include <mutex>

#include <nlohmann/json.hpp>

#include "flow/compaction/call_outcome.h"
#include "text/json.h"
#include "text/token_counter.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

void wait(std::chrono::milliseconds time, const Deadline& deadline) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, deadline.cancel(), deadline.left(time) < time ? deadline.left(time) : time,
                 [] { return false; });
}

Status state_of(const Deadline& deadline) {
  if (deadline.cancelled()) return cancelled("the caller gave up");
  if (deadline.passed()) return timed_out("the model did not answer in time");
  return {};
}

// "length" and its like: an answer that was cut off is no answer.
Status check_reply(const Result<ChatReply>& reply, const std::function<Status(const std::string&)>& accept) {
  if (!reply.ok()) return reply.error();
  if (!reply->message.tool_calls.empty()) return invalid_argument("the answer calls a tool");
  return accept(reply->message.content);
}

}  // namespace

Status ask_model(ChatModel& model, ChatRequest request, const CallLimits& limits, const Deadline& deadline,
                 const std::function<Status(const std::string&)>& accept) {
  const Deadline until = deadline.within(limits.timeout);
  auto backoff = limits.backoff;
  Status last;
  for (int attempt = 0; attempt <= limits.retries; ++attempt) {
    if (attempt > 0) {
      wait(backoff, until);
      backoff *= 2;
    }
    WEFT_CHECK(state_of(until));
    const auto reply = model.complete(request, until);
    last = check_reply(reply, accept);
    if (last.ok()) return {};
    WEFT_CHECK(state_of(until));
    if (!reply.ok()) continue;
    Message fault;
    fault.content = "Not accepted: " + last.error().message + ". Give the whole JSON object again.";
    request.messages.push_back(reply->message);
    request.messages.back().tool_calls.clear();
    request.messages.push_back(std::move(fault));
  }
  return last;
}

Result<std::string> transcript(const std::vector<const Message*>& messages, std::int64_t max_tokens) {
  for (std::size_t most = 4000; most >= 60; most /= 2) {
    Json list = Json::array();
    for (const Message* message : messages) {
      const bool output = message->role == Role::kTool;
      Json entry = {{"id", message->id.str()}, {"role", to_string(message->role)}};
      if (!message->content.empty())
        entry["text"] =
            output && most < 1200 ? one_line(message->content, most) : std::string(cut_bytes(message->content, most));
      for (const ToolCall& call : message->tool_calls)
        entry["calls"].push_back({{"name", call.name}, {"arguments", std::string(cut_bytes(call.arguments, most))}});
      list.push_back(std::move(entry));
    }
    std::string text = write_json(list);
    if (max_tokens <= 0 || estimate_tokens(text, TokenMode::kScript) <= max_tokens) return text;
  }
  return too_large("the turns do not fit the model's window", "use a model with a larger window for summaries");
}

}  // namespace weft
