#include "surface/mcp/tool_call.h"

#include <future>
#include <thread>

#include "base/log.h"
#include "base/request_mark.h"
#include "base/threads.h"
#include "surface/api/tools.h"
#include "text/value.h"

namespace weft::mcp {
namespace {

constexpr std::chrono::milliseconds kTick{500};    // between two notices of progress
constexpr std::chrono::seconds kLongest{120};      // a call that is still at work then is ended

void log_to(const Exchange& exchange, Severity level, std::string text) {
  if (!exchange.client.log || level < *exchange.client.log) return;
  exchange.peer.notify(
      "notifications/message",
      ValueObject{{"level", std::string(to_string(level))}, {"logger", "weft"}, {"data", std::move(text)}});
}

/// Tells how long a call has been at work, where it was asked to.
class Progress {
 public:
  explicit Progress(const Exchange& exchange) : exchange_(exchange), begun_(std::chrono::steady_clock::now()) {
    const Value* meta = meta_of(exchange.params());
    token_ = meta == nullptr ? nullptr : meta->find("progressToken");
  }
  std::chrono::duration<double> time() const { return std::chrono::steady_clock::now() - begun_; }
  void tell(const std::string& what) {
    if (token_ == nullptr) return;
    exchange_.peer.notify("notifications/progress",
                          ValueObject{{"progressToken", *token_}, {"progress", time().count()}, {"message", what}});
  }

 private:
  const Exchange& exchange_;
  const std::chrono::steady_clock::time_point begun_;
  const Value* token_ = nullptr;
};

// A call that needs no person works on a thread of its own, so that this one can tell of it and end it.
Result<ToolAnswer> work(Engine& engine, const Exchange& exchange, const Tool& tool, const Value& arguments,
                        Progress& progress) {
  std::stop_source stop;
  const std::stop_callback caller_left(exchange.context.cancel, [&stop] { stop.request_stop(); });
  RequestContext context = exchange.context;
  context.cancel = stop.get_token();
  const Exchange inner{exchange.message, exchange.client, std::move(context), exchange.session,
                       exchange.tools,   exchange.peer,   exchange.asker};
  // Only this thread may use the connection.
  if (exchange.client.asks_people && !is_stateless(exchange.client.revision)) return tool.run(engine, inner, arguments);
  std::packaged_task<Result<ToolAnswer>()> task([&, request = RequestMark::current()] {
    const RequestMark mark(request);
    return tool.run(engine, inner, arguments);
  });
  auto done = task.get_future();
  std::jthread worker;
  if (const Status begun = start_thread(worker, tool.name, std::move(task)); !begun.ok()) {
    log_warning("mcp.tool", begun.error().message + "; the call is made without notices of progress");
    return tool.run(engine, inner, arguments);
  }
  progress.tell(tool.name + " is at work");
  exchange.peer.while_waiting([&] {
    while (done.wait_for(kTick) != std::future_status::ready) {
      progress.tell(tool.name + " is at work");
      if (progress.time() > kLongest) stop.request_stop();
    }
  });
  progress.tell(tool.name + " is done");
  return done.get();
}

Value content_of(const std::string& text) { return ValueList{ValueObject{{"type", "text"}, {"text", text}}}; }

// What the model did wrong is for the model to read.
Value failure(const Error& error) {
  return ValueObject{{"content", content_of(error.message + (error.hint.empty() ? "" : "\n" + error.hint))},
                     {"isError", true}};
}

Value form_needed(const InputNeeded& form) {
  const Value params = ValueObject{{"mode", "form"}, {"message", form.message}, {"requestedSchema", form.schema}};
  const Value request = ValueObject{{"method", "elicitation/create"}, {"params", params}};
  return ValueObject{{"resultType", "input_required"}, {"inputRequests", ValueObject{{form.key, request}}}};
}

}  // namespace

const Tool* find_tool(std::span<const Tool* const> tools, std::string_view name) {
  const std::string wanted = offered_name(name);
  for (const Tool* one : tools)
    if (one->name == wanted) return one;
  return nullptr;
}

Reply run_tool(Engine& engine, const Exchange& exchange, const Tool& tool, const Value& arguments) {
  Progress progress(exchange);
  const auto answered = work(engine, exchange, tool, arguments, progress);
  if (exchange.asker.meter != nullptr)
    exchange.asker.meter->note(tool.name, answered.ok() ? "done" : to_string(answered.error().code),
                               progress.time().count());
  const auto ms = std::to_string(static_cast<std::int64_t>(progress.time().count() * 1000)) + " ms";
  if (!answered.ok()) {
    log_to(exchange, Severity::kError, tool.name + " failed after " + ms + ": " + answered.error().message);
    return failure(answered.error());
  }
  log_to(exchange, Severity::kDebug, tool.name + " took " + ms);
  if (const auto* form = std::get_if<InputNeeded>(&*answered)) return form_needed(*form);
  const Value& answer = std::get<Value>(*answered);
  ValueObject result{{"content", content_of(tool.text ? tool.text(answer) : to_json(answer))}};
  if (answer.object() != nullptr) result.emplace_back("structuredContent", answer);
  return Value(std::move(result));
}

}  // namespace weft::mcp
