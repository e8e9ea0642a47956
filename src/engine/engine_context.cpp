// Weaving the prompt of the next model call: what is known is gathered here, the order of steps is build_context's.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "flow/context/build_context.h"
#include "flow/context/number_answer.h"

namespace weft {
namespace {

// A message as it counts for the prefix of a prompt.
std::string flat(const Message& message) {
  std::string text = std::string(to_string(message.role)) + "\n" + message.content + "\n";
  for (const ToolCall& call : message.tool_calls) text += call.name + call.arguments + "\n";
  return text;
}

// A user message by what it says and what it answers: "go on" is said more than once.
std::uint64_t digest_at(const std::vector<HistoryMessage>& history, std::size_t place) {
  const std::uint64_t own = digest_of(history[place].message);
  return place == 0 ? own : own * 31 + digest_of(history[place - 1].message);
}

std::optional<std::size_t> last_user(const std::vector<HistoryMessage>& history) {
  for (std::size_t i = history.size(); i-- > 0;)
    if (history[i].message.role == Role::kUser) return i;
  return std::nullopt;
}

Result<std::string> layout_of(const Config& config, const ContextRequest& what) {
  const std::string& layout = what.layout.empty() ? config.context.layout : what.layout;
  if (layout == "cache" || layout == "spec") return layout;
  return invalid_argument("context: unknown layout \"" + layout + "\"", "one of: cache, spec");
}

}  // namespace

// As their authors wrote them; people may change them at any time.
std::vector<AnchorSource> EngineImpl::workspace_files() {
  std::vector<AnchorSource> files;
  for (const char* name : {"AGENTS.md", "SOUL.md", "USER.md"}) {
    auto text = read_file(std::filesystem::path(core_.config.workspace) / name);
    if (text.ok())
      files.push_back({name, std::move(text).value()});
    else if (text.error().code != ErrorCode::kNotFound)
      log_warning("context.rules", text.error().message);
  }
  return files;
}

std::string EngineImpl::workspace_rules() {
  std::string rules;
  for (const AnchorSource& file : workspace_files()) rules += (rules.empty() ? "" : "\n\n") + file.text;
  return rules;
}

std::string EngineImpl::standing_text(const RequestContext& request, const SessionId& session) {
  std::string text = workspace_rules();
  const auto task = core_.tasks->task(request.scope.key(), session);
  if (!task.ok() || task->state.empty()) return text;
  if (!text.empty()) text += "\n\n";
  text += task->state.description;
  for (const std::string& rule : task->state.constraints) text += "\n" + rule;
  for (const std::string& warning : task->state.warnings) text += "\n" + warning;
  return text;
}

std::vector<Anchor> EngineImpl::workspace_anchors() { return find_anchors(workspace_files()); }

// How much of the last prompt this one goes on from, and which section broke it.
void EngineImpl::note_prefix(const std::string& key, const ContextInput& input, BuiltContext& built) {
  StandingBlocks blocks;
  for (const std::size_t place : built.earlier_memories)
    blocks.memories.push_back({digest_at(input.history, place), input.earlier_memories.at(place)});
  if (const auto last = last_user(input.history))
    blocks.memories.push_back({digest_at(input.history, *last), std::move(built.memory)});
  if (built.skeleton)
    blocks.skeleton = {digest_at(input.history, built.skeleton->place), std::move(built.skeleton->text)};
  std::vector<PromptPiece> pieces;
  for (const Placed& one : built.placed) pieces.push_back({one.section, flat(one.message)});
  ContextReport& report = built.woven.report;
  for (const PromptPiece& piece : pieces) report.prompt_bytes += static_cast<std::int64_t>(piece.text.size());
  const PrefixKept kept = core_.prompts.note(key, std::move(blocks), std::move(pieces));
  report.prefix_equal_bytes = kept.equal_bytes;
  report.last_prompt_bytes = kept.last_bytes;
  report.prefix_break = kept.broken_by;
}

// The mode without cognitive memory: ends of turns as they were said, of this scope alone.
Result<std::vector<std::string>> EngineImpl::old_summaries(const RequestContext& request) {
  WEFT_TRY(const auto summaries,
           core_.end_summaries->recent(request.scope.user().str(), request.scope.group().str(),
                                       static_cast<std::size_t>(core_.config.cognitive.old_summaries)));
  std::vector<std::string> texts;
  for (const EndSummary& one : summaries) texts.push_back("[" + format_time(one.time) + "] " + one.summary);
  return texts;
}

// What is known beside the history: profiles, and what the caller says of the task.
Status EngineImpl::add_what_is_known(const RequestContext& request, const ContextRequest& what, ContextInput& input) {
  WEFT_TRY(SessionTask task, tasks_->task_for(request, input.session, what));
  input.task = std::move(task.state);
  input.preferences = std::move(task.preferences);
  input.errors = what.errors;
  if (core_.remembers(request.scope.key())) {
    input.profiles = profiles_->profiles_for(request);
  } else {
    WEFT_TRY(input.old_summaries, old_summaries(request));
  }
  return {};
}

// Blocks of the last prompt stand where they stood: before the user message that they were woven for. While that
// message is worked on with tools, this holds for the newest one, too.
void EngineImpl::add_standing_blocks(const std::string& key, ContextInput& input) {
  const auto last = last_user(input.history);
  if (!last) return;
  StandingBlocks blocks = core_.prompts.blocks(key);
  std::vector<TurnMemory>& woven = blocks.memories;
  TurnSkeleton& skeleton = blocks.skeleton;
  for (std::size_t place = *last + 1; place-- > 0 && !(woven.empty() && skeleton.text.empty());) {
    if (input.history[place].message.role != Role::kUser) continue;
    const std::uint64_t digest = digest_at(input.history, place);
    if (!skeleton.text.empty() && skeleton.user_message == digest)
      input.earlier_skeleton = {place, std::exchange(skeleton.text, {})};
    const auto at = std::find_if(woven.rbegin(), woven.rend(),
                                 [digest](const TurnMemory& one) { return one.user_message == digest; });
    if (at == woven.rend()) continue;
    if (place < *last)
      input.earlier_memories[place] = std::move(at->memory);
    else if (*last + 1 < input.history.size())
      input.kept_memory = std::move(at->memory);
    woven.erase(at.base() - 1, woven.end());
  }
}

ContextPorts EngineImpl::context_ports(const std::string& scope, const SessionId& session, const std::string& model) {
  return {
      core_.config,
      core_.models->tokens_for(model, core_.catalogue.of(model).vocabulary),
      [this, scope](const SearchRequest& search, const Deadline& limit) -> Result<SearchResult> {
        if (!core_.remembers(scope)) return SearchResult{};
        return searcher_->search_scope(scope, search, limit);
      },
      [this, scope](const SessionId& other, std::span<const MessageId> ids) { return originals_of(scope, other, ids); },
      [this, scope, session](std::int64_t seq) { return summaries_before(scope, session, seq); },
      {}};
}

// A change of numbers is done at once and needs nothing of what follows; anything else is planned.
Result<std::optional<WovenContext>> EngineImpl::plan_turn(const RequestContext& request, const SessionId& session,
                                                          const ContextRequest& what, const ContextInput& input,
                                                          const Deadline& deadline, PlanScene& scene,
                                                          std::optional<PlannerDecision>& decision) {
  if (!what.planned && !what.plan) return std::optional<WovenContext>();
  const std::string scope = request.scope.key();
  WEFT_TRY(scene, plan_scene(request, session, what, input));
  WEFT_TRY(decision, decide(scope, scene, what, true, deadline));
  if (!decision->numeric) return std::optional<WovenContext>();
  auto answered = answer_at_once(request, scene, *decision);
  // What the state's schema forbids, or somebody else was faster with, is a matter for the story.
  const bool refused = !answered.ok() && (answered.error().code == ErrorCode::kInvalidArgument ||
                                          answered.error().code == ErrorCode::kConflict);
  if (answered.ok()) return std::optional(std::move(answered).value());
  if (!refused) return answered.error();
  WEFT_TRY(scene, plan_scene(request, session, what, input));
  WEFT_TRY(decision, decide(scope, scene, what, false, deadline));
  if (decision->notice.empty()) decision->notice = refusal_text(answered.error().message, language_of(scene.input));
  return std::optional<WovenContext>();
}

Result<WovenContext> EngineImpl::context(const RequestContext& request, const SessionId& session,
                                         const ContextRequest& what) {
  const Timed timed(core_.metrics.context_time);
  WEFT_CHECK(check_id(session.str(), "session id"));
  const std::string scope = request.scope.key();
  const std::string key = prompt_key(scope, session);
  const Deadline caller(request.deadline, request.cancel);
  const Deadline deadline = caller.within(std::chrono::milliseconds(core_.config.context.deadline_ms));
  WEFT_TRY(const std::string layout, layout_of(core_.config, what));
  if (what.observe && !what.history.empty()) WEFT_CHECK(sync(request, session, what.history));
  WEFT_TRY(auto input, context_input(request, session, what));
  input.layout = layout;
  std::optional<PlannerDecision> decision;
  PlanScene scene;
  WEFT_TRY(auto answered, plan_turn(request, session, what, input, deadline, scene, decision));
  if (answered) return std::move(*answered);
  input.rules = workspace_rules();
  WEFT_CHECK(add_what_is_known(request, what, input));
  choose_tools(key, what, input, deadline);
  ContextPorts ports = context_ports(scope, session, what.model);
  if (decision) WEFT_CHECK(open_streams(request, session, scene, what, *decision, caller, ports, input));
  WEFT_TRY(const bool compacted, compact_if_needed(request, session, what, ports, input));
  add_standing_blocks(key, input);
  WEFT_TRY(auto built, build_context(ports, deadline, input));
  if (compacted) check_compacted(session, built);
  if (decision) {
    built.woven.plan = decision->plan;
    built.woven.notice = decision->notice;
    if (scene.facts) built.woven.state_version = scene.facts->version;
  }
  if (what.skein) built.woven.skein = skein_of(built);
  note_prefix(key, input, built);
  return std::move(built.woven);
}

}  // namespace weft
