// What a session is told and asked: messages, prompts, ends of turns, its task, compactions.
#include <algorithm>
#include <functional>
#include <numeric>

#include "model/session_task.h"
#include "surface/access/named_people.h"
#include "surface/api/bodies.h"
#include "surface/api/list_operation.h"
#include "text/token_counter.h"
#include "text/utf8.h"

namespace weft {
namespace {

/// What a session works on; null: nothing.
struct TaskAnswer {
  std::optional<SessionTask> task;
};
struct Ended {
  bool ended = false;
};

}  // namespace

WEFT_DESCRIBED(TaskAnswer);
WEFT_DESCRIBED(Ended);

template <>
const Record<TaskAnswer>& record<TaskAnswer>() {
  static const auto made = Record<TaskAnswer>("TaskAnswer", "What a session works on.", RecordUse::kTold)
                               .custom(
                                   "task", "null: nothing",
                                   [](SchemaBook& book) {
                                     return Value(ValueObject{{"anyOf", ValueList{record<SessionTask>().schema(book),
                                                                                  ValueObject{{"type", "null"}}}}});
                                   },
                                   nullptr,
                                   [](const TaskAnswer& answer, JsonWriter& out) {
                                     JsonForm<std::optional<SessionTask>>::write(answer.task, out);
                                   });
  return made;
}

template <>
const Record<Ended>& record<Ended>() {
  static const auto made = Record<Ended>("Ended", "Whether there was a task.", RecordUse::kTold)
                               .field("ended", &Ended::ended, "there was one");
  return made;
}

namespace {

// Nobody waits for the encoder who does not ask for it.
Result<bool> awaits_decisions(const Call& call) {
  const std::string wait = call.text("wait");
  if (wait.empty() || wait == "kept" || wait == "decision") return wait == "decision";
  return invalid_argument("wait: \"" + preview(wait, 40) + "\" is nothing to wait for",
                          "\"kept\" or \"decision\"; without it the call ends when the messages are kept");
}

Result<ObserveReport> observe(const Call& call, Observed messages) {
  WEFT_TRY(const auto session, call.session());
  RequestContext request = call.context;
  WEFT_TRY(request.await_decisions, awaits_decisions(call));
  return call.engine.session(request, session).observe(messages.all);
}

Result<Paged<List<StoredMessage>>> history(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const auto before, wanted.number());
  WEFT_TRY(auto messages, call.engine.session(call.context, session).history(wanted.limit + 1, before));
  return newest_page(std::move(messages), wanted,
                     [](const StoredMessage& first) { return std::to_string(first.sequence); });
}

Result<ObserveReport> save(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  return call.engine.session(call.context, session).save();
}

// Of the tools that are offered so many go along with the call at most: the largest, to be sure.
std::int64_t tokens_of_tools(const std::vector<ToolInfo>& tools, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (const ToolInfo& tool : tools)
    sizes.push_back(estimate_tokens(tool.name + " " + tool.description + " " + tool.parameters, TokenMode::kScript));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  if (static_cast<std::int64_t>(sizes.size()) > most)
    sizes.resize(static_cast<std::size_t>(std::max<std::int64_t>(most, 0)));
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

Result<WovenContext> assemble(const Call& call, ContextRequest what) {
  WEFT_TRY(const auto session, call.session());
  if (what.other_tokens == 0) what.other_tokens = tokens_of_tools(what.tools, call.engine.config().context.tools_max);
  if (what.request_id.empty()) what.request_id = std::string(call.request.header("idempotency-key"));
  WEFT_TRY(auto woven, call.engine.session(call.context, session).context(what));
  if (!what.full)
    for (Message& message : woven.messages) message = chat_form(message);
  return woven;
}

Result<EndReport> end(const Call& call, EndRequest what) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(what.sender_id,
           speaker_of_call(call.request.access, call.context.scope, call.engine.config(), std::move(what.sender_id)));
  return call.engine.session(call.context, session).end(what);
}

Result<TaskAnswer> get_task(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(auto task, call.engine.session(call.context, session).task());
  return task.empty() ? TaskAnswer{} : TaskAnswer{std::move(task)};
}

Result<TaskAnswer> put_task(const Call& call, SessionTask task) {
  WEFT_TRY(const auto session, call.session());
  WEFT_CHECK(call.engine.session(call.context, session).set_task(task));
  return get_task(call);
}

Result<Ended> end_task(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const bool ended, call.engine.session(call.context, session).end_task());
  return Ended{ended};
}

Result<Compaction> compact(const Call& call, CompactRequest what) {
  WEFT_TRY(const auto session, call.session());
  return call.engine.session(call.context, session).compact(what);
}

Result<std::vector<Compaction>> compactions(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  return call.engine.session(call.context, session).compactions();
}

std::string key_of(const Compaction& one) { return one.id; }

Result<Compaction> undo_compaction(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  return call.engine.session(call.context, session).undo_compaction();
}

}  // namespace

std::vector<Operation> session_operations() {
  std::vector<Operation> all{
      operation("observe", "POST /v1/sessions/{id}/messages", "take messages in: one, an array, or {\"messages\":[…]}",
                Whose::kScope, observe,
                {text_parameter(
                    "wait",
                    "\"decision\": the call also waits for the topics of what it closed, and tells the "
                    "decisions; \"kept\", as without it: it ends when the messages are kept and found by words")}),
      list_operation("history", "GET /v1/sessions/{id}/messages",
                     "the newest messages of a session, oldest first; the next page are those before them",
                     Whose::kScope, history),
      operation("save", "POST /v1/sessions/{id}/save", "close the session's open topic now", Whose::kScope, save),
      operation("context", "POST /v1/sessions/{id}/context", "weave the prompt of the next model call, with a report",
                Whose::kScope, assemble),
      operation("end", "POST /v1/sessions/{id}/end", "end an agent's turn: what it did and what it learnt",
                Whose::kScope, end),
      operation("compact", "POST /v1/sessions/{id}/compact", "put a summary in the place of the older turns",
                Whose::kScope, compact),
      list_operation("compactions", "GET /v1/sessions/{id}/compactions", "what was compacted", Whose::kScope,
                     ListOrder::kAsGiven, compactions, key_of),
      operation("undo_compaction", "POST /v1/sessions/{id}/compact/undo", "take the newest compaction back",
                Whose::kScope, undo_compaction),
      operation("task", "GET /v1/sessions/{id}/task", "what the session works on", Whose::kScope, get_task),
      operation("put_task", "PUT /v1/sessions/{id}/task", "set it; it stays until it is ended", Whose::kScope,
                put_task),
      operation("end_task", "DELETE /v1/sessions/{id}/task", "end it", Whose::kScope, end_task),
  };
  for (Operation& one : all) one.body_needed = one.id == "observe" || one.id == "put_task";
  return all;
}

}  // namespace weft
