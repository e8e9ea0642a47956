#include "tests/support/scripted_chat.h"

#include <condition_variable>

#include "ports/embedding/embedder.h"
#include "text/tool_arguments.h"
#include "text/utf8.h"

namespace weft {

ChatReply ScriptedChat::reply(std::string text) {
  ChatReply reply;
  reply.message.role = Role::kAssistant;
  reply.message.content = std::move(text);
  reply.finish_reason = "stop";
  return reply;
}

ScriptedChat& ScriptedChat::add(Answer answer) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(answer));
  return *this;
}

ScriptedChat& ScriptedChat::say(std::string text) {
  return add([text = std::move(text)](const ChatRequest&, const Deadline&) { return Result<ChatReply>(reply(text)); });
}

ScriptedChat& ScriptedChat::call(std::string tool, std::string arguments) {
  return add([tool = std::move(tool), arguments = std::move(arguments)](const ChatRequest& request, const Deadline&) {
    ChatReply answer = reply("");
    answer.finish_reason = "tool_calls";
    answer.message.tool_calls.push_back({"call_" + std::to_string(request.messages.size()), tool, arguments});
    return Result<ChatReply>(answer);
  });
}

ScriptedChat& ScriptedChat::fail(Error error) {
  return add([error = std::move(error)](const ChatRequest&, const Deadline&) { return Result<ChatReply>(error); });
}

ScriptedChat& ScriptedChat::hang() {
  return add([](const ChatRequest&, const Deadline& deadline) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    const auto no = [] { return false; };
    deadline.until() ? never.wait_until(lock, deadline.cancel(), *deadline.until(), no)
                     : never.wait(lock, deadline.cancel(), no);
    return Result<ChatReply>(deadline_error(deadline, "the answer"));
  });
}

ScriptedChat& ScriptedChat::then(std::function<Result<ChatReply>(const ChatRequest&)> answer) {
  return add([answer = std::move(answer)](const ChatRequest& request, const Deadline&) { return answer(request); });
}

ScriptedChat& ScriptedChat::always(std::function<Result<ChatReply>(const ChatRequest&)> answer) {
  const std::lock_guard lock(mutex_);
  always_ = [answer = std::move(answer)](const ChatRequest& request, const Deadline&) { return answer(request); };
  return *this;
}

ScriptedChat& ScriptedChat::give_states(StateSpace space, std::function<std::vector<float>(const ChatRequest&)> state) {
  const std::lock_guard lock(mutex_);
  space_ = std::move(space);
  state_ = std::move(state);
  return *this;
}

StateSpace ScriptedChat::state_space() const {
  const std::lock_guard lock(mutex_);
  return space_;
}

ScriptedChat& ScriptedChat::most_bytes(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  most_bytes_ = bytes;
  return *this;
}

ScriptedChat& ScriptedChat::strict() {
  const std::lock_guard lock(mutex_);
  strict_ = true;
  return *this;
}

std::vector<ChatRequest> ScriptedChat::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

Result<ChatReply> ScriptedChat::complete(const ChatRequest& request, const Deadline& deadline,
                                         const std::function<bool(std::string_view)>& on_text) {
  Answer answer;
  bool strict = false;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    strict = strict_;
    for (const Message& message : request.messages)
      if (message.content.size() > most_bytes_) return too_large("the script takes no message of such length");
    answer = always_;
    if (state_ && request.wants_state)
      answer = [state = state_](const ChatRequest& asked, const Deadline&) {
        ChatReply given = reply("");
        given.state = state(asked);
        return Result<ChatReply>(given);
      };
    else if (!queue_.empty()) {
      answer = std::move(queue_.front());
      queue_.pop_front();
    }
  }
  if (deadline.passed()) return deadline_error(deadline, "the answer");
  if (!answer) return unavailable("the script has no answer left");
  WEFT_TRY(ChatReply given, answer(request, deadline));
  if (strict && !request.json_schema.empty()) {
    WEFT_TRY(const SchemaCheck check, SchemaCheck::compile(request.json_schema));
    const Status valid = check.check(given.message.content);
    if (!valid.ok()) return unavailable(valid.error().message);
  }
  std::string_view rest = given.message.content;
  while (on_text && !rest.empty()) {  // a few characters at a time, as models do
    std::string_view part = cut_bytes(rest, 8);
    if (part.empty()) part = rest;
    if (!on_text(part)) return cancelled("the answer was not wanted any more");
    rest.remove_prefix(part.size());
  }
  return given;
}

}  // namespace weft
