#include "engine/session_context.h"

#include "engine/prompts.h"

namespace weft {
namespace {

constexpr std::int64_t kBytesOfToken = 4;  // of schemas, which are English and JSON

TaskState task_of(const RunState& state) {
  TaskState task;
  task.description = state.start.task;
  task.type = state.start.type;
  task.done = state.progress.done;
  task.current = state.progress.current;
  task.remaining = state.progress.remaining;
  return task;
}

std::int64_t tokens_of(const std::vector<ToolInfo>& tools) {
  std::size_t bytes = 0;
  for (const ToolInfo& tool : tools) bytes += tool.name.size() + tool.description.size() + tool.parameters.size() + 60;
  return static_cast<std::int64_t>(bytes) / kBytesOfToken;
}

}  // namespace

// Known messages are recognised by their ids, so a run that goes on may bring them again.
Status SessionContext::observe(const RunState& state) {
  const auto told = state.told();
  if (observed_ >= told.size()) return {};
  WEFT_TRY(const auto report,
           services_.streams->observe(request_, SessionId(state.run), std::span(told).subspan(observed_)));
  (void)report;
  observed_ = told.size();
  return {};
}

Result<AgentPrompt> SessionContext::prompt(const RunState& state, const PromptWish& wish, const Deadline& deadline) {
  WEFT_CHECK(observe(state));
  RequestContext request = request_;
  request.deadline = deadline.until();
  request.cancel = deadline.cancel();
  ContextRequest what;
  what.system = wish.system;
  what.window = wish.window;
  what.model = wish.model;
  what.output_tokens = output_tokens_;
  what.other_tokens = tokens_of(wish.tools);
  what.task = task_of(state);
  what.errors = state.notes;
  what.tools = wish.tools;
  what.describe_tools = false;
  // The run has its own snapshot of what was learnt.
  WEFT_TRY(WovenContext woven, prompts_.weave(request, SessionId(state.run), what, PromptUse{false, wish.offered}));
  return AgentPrompt{std::move(woven.messages), std::move(woven.tools), woven.report.tokens, woven.report.compaction};
}

Result<CompactedTo> SessionContext::compact(const RunState& state, std::int64_t window) {
  WEFT_CHECK(observe(state));
  WEFT_TRY(const Compaction made,
           services_.compactions->compact(request_, SessionId(state.run), {state.start.task, window}));
  return CompactedTo{made.id, made.report.tokens_before, made.report.tokens_after};
}

Status SessionContext::finish(const RunState& state) {
  WEFT_CHECK(observe(state));
  const SessionId session(state.run);
  WEFT_TRY(const bool ended, services_.tasks->end_task(request_, session));
  WEFT_TRY(const auto saved, services_.streams->save(request_, session));
  (void)ended, (void)saved;
  return {};
}

}  // namespace weft
