#include "engine/prompts.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/call_context.h"
#include "base/log.h"
#include "engine/engine_core.h"
#include "engine/session_history.h"
#include "flow/context/fence.h"
#include "flow/context/offered_tools.h"
#include "flow/context/skeleton.h"
#include "text/typed_words.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::int64_t kToolTokens = 120;
constexpr std::size_t kMostSessions = 1024;  // whose offered tools are known
constexpr std::size_t kLastCalls = 64;  // of the history: what was called before them is no longer in use

std::string last_said(const ContextInput& input) {
  for (auto entry = input.history.rbegin(); entry != input.history.rend(); ++entry)
    if (entry->message.role == Role::kUser) return entry->message.content;
  return {};
}

std::set<std::string> called_in(const ContextInput& input) {
  std::set<std::string> names;
  std::size_t seen = 0;
  for (auto entry = input.history.rbegin(); entry != input.history.rend() && seen < kLastCalls; ++entry) {
    for (const ToolCall& call : entry->message.tool_calls) names.insert(call.name);
    seen += entry->message.tool_calls.size();
  }
  return names;
}

}  // namespace

// Kept as they are while the task lasts; what the input needs besides, or was called, is added behind them.
OfferedTools ToolChooser::described_tools(const std::string& key, const ContextRequest& what, std::size_t most,
                                          const ContextInput& input, const ToolIndex& index,
                                          const ToolIndex::Models& models, const Deadline& deadline) {
  ToolNeed need;
  need.task = input.task.description;
  need.input = last_said(input);
  need.step = input.task.current;
  need.in_use = called_in(input);
  OfferedTools offered;
  {
    auto known = core_.described_tools.lock();
    if (const auto at = known->find(key); at != known->end()) offered = at->second;
  }
  ToolBounds bounds{static_cast<std::size_t>(core_.config.context.tools_min),
                    static_cast<std::size_t>(core_.config.context.tools_max)};
  if (most > 0) bounds = {most, most};
  offer_tools(offered, digest_of(what.tools), index, need, bounds, models, deadline);
  auto known = core_.described_tools.lock();
  if (known->size() >= kMostSessions) known->clear();
  (*known)[key] = offered;
  return offered;
}

void ToolChooser::choose(const std::string& key, const ContextRequest& what, std::size_t offered_tools,
                         ContextInput& input, const Deadline& deadline) {
  if (what.tools.empty()) return;
  const auto index = indexes_.of(what.tools);
  const auto serving = core_.change->serving();
  const ToolIndex::Models models{serving->embedder(), serving->model.similarity.get()};
  if (models.embedder != nullptr && !index->embedded(models.embedder->name())) {
    auto waiting = to_embed_.lock();
    if (std::find(waiting->begin(), waiting->end(), index) == waiting->end()) waiting->push_back(index);
    core_.compactor.wake();
  }
  const OfferedTools offered = described_tools(key, what, offered_tools, input, *index, models, deadline);
  for (const OfferedTool& one : offered.tools) {
    const ToolInfo& tool = what.tools[one.index];
    if (what.describe_tools)
      input.tools.push_back({tool.name, tool_text(tool, kToolTokens, core_.models->tokens()), one.score});
    input.allowed_tools.push_back(tool.name);
  }
}

void ToolChooser::embed(std::stop_token stop) {
  for (;;) {
    std::shared_ptr<ToolIndex> index;
    {
      auto waiting = to_embed_.lock();
      if (waiting->empty() || stop.stop_requested()) return;
      index = std::move(waiting->back());
      waiting->pop_back();
    }
    const auto serving = core_.change->serving();
    if (serving->embedder() == nullptr || !serving->model.similarity || index->embedded(serving->embedder()->name()))
      continue;
    const Status done = index->embed(*serving->embedder(), *serving->model.similarity, Deadline({}, stop));
    if (!done.ok() && !stop.stop_requested()) log_warning("tools.embed", done.error().message);
  }
}

namespace {

constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kWorldLayer = "<context_layer type=\"world\">";

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

// What a list of prompts shows of one.
std::string asked_in(const ContextRequest& what) {
  constexpr std::size_t kShown = 120;
  if (!what.input.empty()) return preview(what.input, kShown);
  for (auto message = what.history.rbegin(); message != what.history.rend(); ++message)
    if (message->role == Role::kUser) return preview(typed_words(message->content), kShown);
  return {};
}

Result<PromptLayout> layout_of(const Config& config, const ContextRequest& what) {
  if (what.layout.empty()) return config.context.layout;
  if (const auto layout = enum_of<PromptLayout>(what.layout)) return *layout;
  return invalid_argument("context: unknown layout \"" + what.layout + "\"", "one of: cache, spec");
}

// What always holds in the world is escaped already and stands with what else the story adds.
void add_rules(const std::string& text, SkeinParts& parts) {
  const auto add = [](std::string& to, const std::string& some) {
    if (!some.empty()) to += (to.empty() ? "" : "\n\n") + some;
  };
  const std::size_t world = std::min(text.find(kWorldLayer), text.size());
  std::string rules = text.substr(0, world);
  while (rules.ends_with('\n')) rules.pop_back();
  add(parts.instruction, rules);
  add(parts.curation_block, text.substr(world));
}

std::string skein_of(const BuiltContext& built) {
  SkeinParts parts;
  const auto add = [](std::string& to, const std::string& text) { to += (to.empty() ? "" : "\n\n") + text; };
  std::size_t input = built.placed.size();
  for (std::size_t i = built.placed.size(); i-- > 0 && input == built.placed.size();)
    if (built.placed[i].message.role == Role::kUser) input = i;
  for (std::size_t i = 0; i < built.placed.size(); ++i) {
    const Message& message = built.placed[i].message;
    const std::string& label = built.placed[i].section;
    if (i == input)
      parts.user_input = message.content;
    else if (label == "skeleton")
      add(parts.automation_block, message.content);
    else if (label == "history" || label == "input")
      parts.history.push_back(message);
    else if (label == "rules")
      add_rules(message.content, parts);
    else if (label == "system")
      add(parts.instruction, message.content);
    else
      add(parts.curation_block, message.content);
  }
  return skein_text(parts);
}

std::size_t suspects_in(const ContextReport& report) {
  std::size_t count = 0;
  for (const ReportSection& section : report.sections)
    for (const ReportItem& item : section.items) count += item.why.starts_with(kSuspectWhy) ? 1 : 0;
  return count;
}

}  // namespace

Prompts::Prompts(EngineCore& core, const PromptServices& with) : core_(core), with_(with), lessons_(*core.store) {}

// What people wrote for the workspace, and behind it what was learnt: a new rule changes nothing before it.
std::string Prompts::fixed_rules(std::span<const Rule> active) {
  std::string text = workspace_rules(core_);
  const std::string learnt = rules_text(active);
  if (!learnt.empty()) text += (text.empty() ? "" : "\n\n") + learnt;
  return text;
}

std::string Prompts::standing_text(const RequestContext& request, const SessionId& session) {
  std::string text = fixed_rules(with_.rules.active_rules(request.scope.key()));
  const auto task = core_.tasks->task(request.scope.key(), session);
  if (!task.ok() || task->state.empty()) return text;
  if (!text.empty()) text += "\n\n";
  text += task->state.description;
  for (const std::string& rule : task->state.constraints) text += "\n" + rule;
  for (const std::string& warning : task->state.warnings) text += "\n" + warning;
  return text;
}

// How much of the last prompt this one goes on from, and which section broke it.
void Prompts::note_prefix(const std::string& key, const ContextInput& input, BuiltContext& built) {
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
Result<std::vector<std::string>> Prompts::old_summaries(const RequestContext& request) {
  WEFT_TRY(const auto summaries,
           core_.end_summaries->recent(request.scope.user().str(), request.scope.group().str(),
                                       static_cast<std::size_t>(core_.config.cognitive.old_summaries)));
  std::vector<std::string> texts;
  for (const EndSummary& one : summaries) texts.push_back("[" + format_time(one.time) + "] " + one.summary);
  return texts;
}

// What is known beside the history: profiles, and what the caller says of the task.
Status Prompts::add_what_is_known(const RequestContext& request, const ContextRequest& what, ContextInput& input) {
  WEFT_TRY(SessionTask task, with_.tasks.task_for(request, input.session, what));
  input.task = std::move(task.state);
  input.preferences = std::move(task.preferences);
  input.errors = what.errors;
  if (core_.remembers(request.scope.key())) {
    input.profiles = with_.profiles.profiles_for(request);
    const ScopeKey scope = request.scope.key();
    input.days = with_.diaries.for_prompt(scope, input.session, !input.task.empty());
    with_.knowledge.refresh(scope);
  } else {
    WEFT_TRY(input.old_summaries, old_summaries(request));
  }
  return {};
}

// Blocks of the last prompt stand where they stood: before the user message that they were woven for. While that
// message is worked on with tools, this holds for the newest one, too.
void Prompts::add_standing_blocks(const std::string& key, ContextInput& input) {
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

ContextPorts Prompts::context_ports(const ScopeKey& scope, const SessionId& session, const std::string& model) {
  return {core_.config,
          core_.models->tokens_for(model, core_.catalogue.of(model).vocabulary),
          [this, scope](const SearchRequest& search, const Deadline& limit) -> Result<SearchResult> {
            if (!core_.remembers(scope)) return SearchResult{};
            auto found = with_.searcher.search_scope(scope, search, limit);
            if (found.ok()) with_.knowledge.used(scope, found->hits);
            return found;
          },
          [this, scope](const SessionId& other, std::span<const MessageId> ids) {
            return with_.histories.originals_of(scope, other, ids);
          },
          [this, scope, session](std::int64_t seq) { return with_.histories.summaries_before(scope, session, seq); },
          {}};
}

// Starts curation first, so that it runs while the skeleton is rendered. `scene` must outlive the assembly.
Status Prompts::open_streams(const RequestContext& request, const SessionId& session, PlanScene& scene,
                             const ContextRequest& what, const PlannerDecision& decision, const Deadline& caller,
                             ContextPorts& ports, ContextInput& input) {
  ports.curation = with_.curations.begin(request, session, scene, what, input, decision.plan, caller);
  ports.shorter_skeleton = [this, &scene, plan = decision.plan](std::int64_t tokens) {
    auto text = with_.skeletons.shorter(scene, plan, tokens);
    // A template of the user's own may ask for what was left out.
    if (!text.ok()) {
      log_warning("context.skeleton", text.error().message);
      PlanContext usual = plan;
      usual.template_id = "narrative";
      text = with_.skeletons.shorter(scene, usual, tokens);
    }
    return text.value_or("");
  };
  WEFT_TRY(input.skeleton, with_.skeletons.render(scene, decision.plan));
  if (const std::string notice = SkeletonStream::notice(scene, decision); !notice.empty())
    input.notice = notice + (input.notice.empty() ? "" : "\n\n") + input.notice;
  scene.standing = with_.skeletons.state_guide(scene, input);
  if (const std::string lore = with_.curations.standing_story(scene); !lore.empty())
    scene.standing += (scene.standing.empty() ? "" : "\n\n") + lore;
  if (!scene.standing.empty()) input.rules += (input.rules.empty() ? "" : "\n\n") + scene.standing;
  return {};
}

// Rules on trial are chosen anew for each user message. They are left out if the outcome would not be counted.
Prompts::OfferedLessons Prompts::add_lessons(const RequestContext& request, const ContextRequest& what,
                                             ContextInput& input) {
  const ScopeKey scope = request.scope.key();
  OfferedLessons offered;
  const std::vector<Rule> active = with_.rules.active_rules(scope);
  for (const Rule& rule : active) offered.rules.push_back(rule.id);
  input.rules = fixed_rules(active);
  const bool remembers = core_.remembers(scope);
  if (remembers && !input.task.description.empty())
    for (const SkillMatch& match : with_.skills.fitting(scope, input.task.description)) {
      if (match.skill.stage == LifeStage::kProbation && !with_.rules.learns(request)) continue;
      offered.skills.emplace_back(match.skill.skill_id, with_.skills.text_of(match));
      input.skills.push_back(offered.skills.back().second);
    }
  std::string asked = what.input;
  if (asked.empty())
    if (const auto last = last_user(input.history)) asked = typed_words(input.history[*last].message.content);
  const std::vector<Rule> trial = with_.rules.rules_on_trial(scope, asked);
  if (trial.empty() || !with_.rules.learns(request)) return offered;
  for (const Rule& rule : trial) offered.trial_rules.push_back(rule.id);
  offered.trial_text = trial_rules_text(trial);
  input.notice += (input.notice.empty() ? "" : "\n\n") + offered.trial_text;
  return offered;
}

// The report names what the prompt contains. The store keeps the same until the report of the task names it, so that
// the outcome of the task is counted for it. `begun`: when the call began, to see whether something was erased since.
void Prompts::note_lessons(const RequestContext& request, const SessionId& session, const ContextInput& input,
                           const OfferedLessons& offered, std::chrono::steady_clock::time_point begun,
                           BuiltContext& built) {
  const ScopeKey scope = request.scope.key();
  const auto contains = [&](const std::string& text) {
    return std::any_of(built.placed.begin(), built.placed.end(),
                       [&](const Placed& one) { return one.message.content.find(text) != std::string::npos; });
  };
  LessonsInPrompt lessons;
  lessons.rules = offered.rules;
  if (!offered.trial_rules.empty() && contains(offered.trial_text))
    lessons.rules.insert(lessons.rules.end(), offered.trial_rules.begin(), offered.trial_rules.end());
  for (const auto& [id, text] : offered.skills)
    if (contains(escape_text(text))) lessons.skills.push_back(id);
  built.woven.report.rules = lessons.rules;
  built.woven.report.skills = lessons.skills;
  if (lessons.empty() || !core_.remembers(scope) || !with_.rules.learns(request)) return;
  if (const auto last = last_user(input.history))
    lessons.turn = static_cast<std::int64_t>(digest_at(input.history, *last) + *last);
  const auto gate = core_.erasure_gate.late(scope, begun);
  if (gate.any() || !gate.pass) return;
  const auto kept = [&]() -> Status {
    WEFT_TRY(lessons.last_seq, core_.store->messages().newest_number(scope, session, kAnyNumber));
    return lessons_.note(scope, session, lessons, core_.clock->now());
  }();
  if (!kept.ok()) log_warning("context.lessons", kept.error().message);  // the prompt is whole without it
}

Status Prompts::check(const RequestContext& request, const ContextRequest& what) {
  WEFT_CHECK(with_.histories.check(what));
  WEFT_CHECK(with_.planner.check(request, what));
  if (!what.planned && !what.plan) return {};
  if (!what.template_id.empty()) WEFT_CHECK(with_.skeletons.check(what.template_id));
  return what.plan && !what.plan->template_id.empty() ? with_.skeletons.check(what.plan->template_id) : Status();
}

Result<WovenContext> Prompts::weave(const RequestContext& request, const SessionId& session, const ContextRequest& what,
                                    const PromptUse& use) {
  const Timed timed(core_.metrics.context_time);
  const TraceSpan span("weft.context");
  const auto begun = std::chrono::steady_clock::now();
  WEFT_CHECK(check_id(session.str(), "session id"));
  const ScopeKey scope = request.scope.key();
  const std::string key = prompt_key(scope, session);
  const Deadline caller(request.deadline, request.cancel);
  const Deadline deadline = caller.within(std::chrono::milliseconds(core_.config.context.deadline_ms));
  WEFT_TRY(const PromptLayout layout, layout_of(core_.config, what));
  // All of it before messages and task are kept.
  WEFT_CHECK(check(request, what));
  if (what.observe && !what.history.empty()) WEFT_CHECK(with_.streams.sync(request, session, what.history));
  WEFT_TRY(auto input, with_.histories.context_input(request, session, what));
  input.layout = layout;
  std::optional<PlannerDecision> decision;
  PlanScene scene;
  WEFT_TRY(auto answered, with_.planner.plan(request, session, what, input, deadline, scene, decision));
  if (answered) return std::move(*answered);
  input.rules = workspace_rules(core_);
  WEFT_CHECK(add_what_is_known(request, what, input));
  with_.tools.choose(key, what, use.offered_tools, input, deadline);
  OfferedLessons lessons;
  if (use.learnt) lessons = add_lessons(request, what, input);
  ContextPorts ports = context_ports(scope, session, what.model);
  if (decision) WEFT_CHECK(open_streams(request, session, scene, what, *decision, caller, ports, input));
  WEFT_TRY(const bool compacted, with_.compactions.compact_if_needed(request, session, what, ports, input));
  add_standing_blocks(key, input);
  WEFT_TRY(auto built, build_context(ports, deadline, input));
  core_.metrics.suspect_memories += suspects_in(built.woven.report);
  if (compacted) with_.compactions.check_compacted(session, built);
  if (decision) {
    built.woven.plan = decision->plan;
    built.woven.notice = decision->notice;
    if (scene.facts) built.woven.state_version = scene.facts->version;
  }
  if (what.skein) built.woven.skein = skein_of(built);
  note_prefix(key, input, built);
  note_lessons(request, session, input, lessons, begun, built);
  core_.feed->add(scope, {0, core_.clock->now(), session, what.model, asked_in(what), built.woven.report});
  return std::move(built.woven);
}

}  // namespace weft
