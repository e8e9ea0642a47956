#include "engine/replays.h"

#include <algorithm>

#include "agent/builtin_tools.h"
#include "agent/replay.h"
#include "base/call_context.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "flow/context/fence.h"
#include "growth/learning_plan.h"
#include "growth/skill_folder.h"
#include "growth/skill_match.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

// Asking is for those who are there: what was allowed once is answered from the record, and nothing else is done.
Result<Permissions> without_asking(const Permissions& of_run, const ToolRegistry& tools) {
  std::string list = "*=allow";
  for (const ToolInfo& tool : tools.infos())
    if (of_run.of(tool.name) == Permission::kDeny) list += "," + tool.name + "=deny";
  Permissions permissions;
  WEFT_CHECK(permissions.add(list));
  return permissions;
}

}  // namespace

Result<ReplayedRun> RunReplayer::replay(const RequestContext& request, const TaskReport& report, const ReplayArm& arm,
                                        LoopStop& stop) {
  WEFT_TRY(const SeenRun seen, streams_.look(request, report.run));
  WEFT_TRY(RecordedRun record, recorded_run(report.run, seen.bus->since(0)));
  record.outcome = report.outcome, record.by = report.outcome_by;
  WEFT_TRY(const Permissions permissions, kit_.permissions_of(record.start.tools));
  // No tool of it writes into the stream of the run.
  WEFT_TRY(const ToolRegistry real, kit_.tools_of(seen.state, nullptr, nullptr));
  ReplayWatch watch([&stop] { stop.source.request_stop(); });
  WEFT_TRY(const ToolRegistry tools, replay_tools(record, real, permissions, watch));
  WEFT_TRY(const Permissions allowed, without_asking(permissions, tools));
  ChatModel* model = arm.model(record.start.model);
  if (model == nullptr) return unavailable("there is no chat model of the role " + record.start.model);
  WEFT_TRY(auto verifier, kit_.verifier_of(seen.state));
  // Where something was done then, its world is not there any more.
  const bool may_verify =
      record.by == Witness::kVerifier && !record.has_deeds() && permissions.of(kVerify) == Permission::kAllow;
  if (!may_verify) verifier = nullptr;

  WEFT_TRY(const auto bus, Bus::open(disk(), arm.folder / (arm.name + ".jsonl"), *core_.clock));
  if (bus->last() == 0) {
    RunStarted start = record.start;
    start.learn = false;
    WEFT_CHECK(begin_run(*bus, start));
  }
  ReplayContext context;
  ReplayHooks hooks(arm.told);
  ReplayQuestions questions(watch);
  ResultStore results(disk(), arm.folder / "results");
  EndingMarks endings(disk(), arm.folder / "ending");
  const LoopParts parts{*bus,
                        context,
                        *model,
                        tools,
                        hooks,
                        questions,
                        results,
                        endings,
                        kit_.threads(),
                        allowed,
                        *core_.clock,
                        request,
                        system_text_for(record.start.task),
                        core_.window_of(model->window(), model->name()),
                        std::move(verifier)};
  AgentLoop loop(report.run + "-" + arm.name, parts, kit_.loop_settings(), stop);
  WEFT_TRY(const LoopEnd end, loop.run());
  if (watch.strayed()) return ReplayedRun{Outcome::kUnknown, watch.why()};
  if (end == LoopEnd::kStopped) return cancelled("the replay was stopped");
  const RunState& state = loop.state();
  if (end == LoopEnd::kInterrupted)
    return unavailable("the model did not answer: " + (state.interrupted ? state.interrupted->why : std::string()));
  ReplayedRun made;
  made.outcome = judge_replay(record, state, bus->since(0), made.why);
  return made;
}

// Trying what is to be promoted on past tasks.

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLater{10};
constexpr std::chrono::seconds kLikenessLimit{10}, kPatience{10};
constexpr std::size_t kTriesPerReplay = 3;  // of tasks that turn out not to be playable

PromotionGate not_replayed(std::string why) {
  PromotionGate gate;
  gate.stage = GateStage::kNotReplayed;
  gate.why = std::move(why);
  return gate;
}

// Of a run that cannot be played there is nothing to wait for.
bool is_final(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kNotFound ||
         error.code == ErrorCode::kCorrupt || error.code == ErrorCode::kConflict;
}

}  // namespace

GateKeeper replay_gate(EngineCore& core) {
  return [&core](const std::string& owner) {
    const auto plan = read_learning_plan(core.config.workspace);
    if (!plan.ok()) return not_replayed(plan.error().message);
    if (plan->replays == 0) return not_replayed("the learning plan asks for none");
    if (plan->day_tokens == 0 || plan->day_minutes == 0) return not_replayed("no model may be asked for it");
    if (owner == kWorkspaceOwner) return not_replayed("it is everybody's, and past tasks are their owners'");
    if (core.models->chat("main") == nullptr) return not_replayed("no model is configured");
    core.replayer.wake();
    PromotionGate gate;
    gate.stage = GateStage::kWaiting;
    return gate;
  };
}

Replays::Replays(EngineCore& core, const Services& services)
    : core_(core),
      with_(services),
      learning_(core.config.workspace),
      likeness_(core, kLikenessLimit),
      log_(*core.store, *core.clock) {}

Status Replays::open() {
  return log_.take_former_log(disk(), std::filesystem::path(core_.config.workspace) / "evolution" / "replays.jsonl");
}

std::vector<Replays::Waiting> Replays::waiting() {
  std::vector<Waiting> all;
  const auto warn = [](const Error& error) { log_warning("replays", error.message); };
  if (auto rules = with_.rules.waiting(); rules.ok()) {
    for (Rule& rule : *rules)
      all.push_back(
          {{GateCandidate::Kind::kRule, rule.id, rule.owner, rule.version, matters_of(rule)}, rule.gate, rule, {}, {}});
  } else {
    warn(rules.error());
  }
  if (auto skills = with_.skills.waiting(); skills.ok()) {
    for (Skill& skill : *skills)
      all.push_back(
          {{GateCandidate::Kind::kSkill, skill.skill_id, skill.owner, version_of(skill), skill_phrases(skill)},
           skill.gate,
           {},
           skill,
           {}});
  } else {
    warn(skills.error());
  }
  if (auto changes = with_.rules.mutations_waiting(); changes.ok()) {
    for (Mutation& one : *changes)
      all.push_back(
          {{GateCandidate::Kind::kMutation, one.id, one.variant.owner, one.gate.version, skill_phrases(one.variant)},
           one.gate,
           {},
           one.variant,
           one.skill_id});
  } else {
    warn(changes.error());
  }
  return all;
}

Status Replays::settle(const Waiting& one, const PromotionGate& gate) {
  const auto pass = core_.erasure_gate.work(ScopeKey(one.candidate.owner));
  switch (one.candidate.kind) {
    case GateCandidate::Kind::kRule: return with_.rules.settle_rule(one.candidate.id, gate);
    case GateCandidate::Kind::kSkill: return with_.skills.settle(one.candidate.id, gate);
    case GateCandidate::Kind::kMutation: return with_.rules.settle_mutation(one.candidate.id, gate);
  }
  return {};
}

// Said once: who looks at it sees why nothing happens.
void Replays::note_why(const Waiting& one, const std::string& why) {
  if (one.gate.why == why) return;
  PromotionGate gate = one.gate;
  gate.why = why;
  gate.time = core_.clock->now();
  if (const Status noted = settle(one, gate); !noted.ok()) log_warning("replays", noted.error().message);
}

fs::path Replays::folder_of(const Waiting& one, const std::string& run) const {
  const std::string name = skill_file_name(one.candidate.id) + "." + std::to_string(one.candidate.version) + "." + run;
  return scope_folder(core_.config.workspace, "evolution/replays", ScopeKey(one.candidate.owner)) / name;
}

// As a run of this task would be told now, but for what is tried; what is tried as if it had been promoted.
LessonTold Replays::told(const Waiting& one, const std::string& task, bool with) {
  const std::string& owner = one.candidate.owner;
  const std::string& left_out =
      one.candidate.kind == GateCandidate::Kind::kMutation && with ? one.original : one.candidate.id;
  LessonTold lesson;
  std::vector<Rule> rules = with_.rules.active_rules(ScopeKey(owner));
  std::erase_if(rules, [&](const Rule& rule) { return rule.id == left_out; });
  if (with && one.rule) rules.push_back(*one.rule);
  for (const Rule& rule : rules) lesson.rules.push_back(versioned_id(rule));
  std::vector<SkillMatch> skills = with_.skills.fitting(ScopeKey(owner), task);
  std::erase_if(skills, [&](const SkillMatch& match) {
    return match.skill.skill_id == left_out || match.skill.stage != LifeStage::kActive;
  });
  if (with && one.skill) {
    Skill skill = *one.skill;
    skill.stage = LifeStage::kActive;
    skills.push_back({std::move(skill), 1, SkillUse::kFollow});
  }
  std::string procedures;
  for (const SkillMatch& match : skills) {
    lesson.skills.push_back(versioned_id(match.skill));
    procedures += with_.skills.text_of(match) + "\n";
  }
  for (const std::string& text : {rules_text(rules), fence_skills(procedures)})
    if (!text.empty()) lesson.text += (lesson.text.empty() ? "" : "\n\n") + text;
  return lesson;
}

Result<ReplayedRun> Replays::play_arm(const Waiting& one, const TaskReport& report, bool with, std::stop_token stop) {
  WEFT_TRY(const RequestContext request, request_of_scope(ScopeKey(one.candidate.owner)));
  LoopStop loop_stop;
  {
    const std::lock_guard lock(mutex_);
    if (held_.contains(ScopeKey(one.candidate.owner))) return cancelled("words of its owner are being erased");
    playing_ = ScopeKey(one.candidate.owner);
    stop_ = &loop_stop;
  }
  const AtEnd played([this] {
    {
      const std::lock_guard lock(mutex_);
      playing_.reset();
      stop_ = nullptr;
    }
    changed_.notify_all();
  });
  const std::stop_callback ends(stop, [&loop_stop] { loop_stop.source.request_stop(); });
  LearningBudget& budget = with_.reflections.budget();
  const ReplayArm arm{folder_of(one, report.run), with ? "with" : "without", told(one, report.task, with),
                      [this, &budget](const std::string& role) { return budget.counted(core_.models->chat(role)); }};
  const CallScope call(Account{one.candidate.owner, {}});
  return with_.runs.replay(request, report, arm, loop_stop);
}

// None: it is to be gone on with later.
Result<std::optional<ReplayPair>> Replays::play(const Waiting& one, const TaskReport& report, std::stop_token stop) {
  ReplayPair pair;
  pair.run = report.run;
  for (const bool with : {false, true}) {
    if (!with_.reflections.budget().open()) return std::optional<ReplayPair>();
    const auto played = play_arm(one, report, with, stop);
    if (!played.ok() && !is_final(played.error())) {
      if (played.error().code != ErrorCode::kCancelled) note_why(one, played.error().message);
      return std::optional<ReplayPair>();
    }
    const std::string why = played.ok() ? played->why : played.error().message;
    (with ? pair.with : pair.without) = played.ok() ? played->outcome : Outcome::kUnknown;
    if (why.empty()) continue;
    pair.why = "run " + report.run + ": " + why;
    break;  // the other way would tell nothing
  }
  const auto pass = core_.erasure_gate.work(ScopeKey(one.candidate.owner));
  WEFT_CHECK(log_.add(one.candidate, pair));
  std::error_code ignored;
  fs::remove_all(folder_of(one, report.run), ignored);
  return std::optional<ReplayPair>(std::move(pair));
}

Replays::Look Replays::look_at(const Waiting& one, std::stop_token stop) {
  const auto later = [&](const std::string& why) {
    log_warning("replays", one.candidate.id + ": " + why);
    return Look::kLater;
  };
  const auto plan = read_learning_plan(core_.config.workspace);
  const auto request = request_of_scope(ScopeKey(one.candidate.owner));
  if (!plan.ok() || !request.ok()) return later(plan.ok() ? request.error().message : plan.error().message);
  const auto reports = with_.reflections.reports(*request);
  if (!reports.ok()) return later(reports.error().message);
  auto pairs = log_.of(one.candidate);
  if (!pairs.ok()) return later(pairs.error().message);
  const auto most = static_cast<std::size_t>(plan->replays);
  for (const TaskReport& report : tasks_to_replay(one.candidate, *reports, likeness_, core_.config.evolution.related)) {
    const auto judged = static_cast<std::size_t>(
        std::count_if(pairs->begin(), pairs->end(), [](const ReplayPair& pair) { return pair.is_judged(); }));
    if (judged >= most || pairs->size() >= most * kTriesPerReplay) break;
    if (std::any_of(pairs->begin(), pairs->end(), [&](const ReplayPair& known) { return known.run == report.run; }))
      continue;
    if (stop.stop_requested()) return Look::kEnds;
    auto played = play(one, report, stop);
    if (!played.ok()) return later(played.error().message);
    if (!*played) {
      if (stop.stop_requested()) return Look::kEnds;
      if (!with_.reflections.budget().open()) note_why(one, learning_status(core_.config, core_.clock->now()).why);
      return Look::kLater;
    }
    pairs->push_back(std::move(**played));
  }
  const PromotionGate gate = gate_after(*pairs, plan->regressions, one.candidate.version, core_.clock->now());
  if (const Status settled = settle(one, gate); !settled.ok()) return later(settled.error().message);
  log_info("replays", one.candidate.id + ": " + gate_text(gate));
  return Look::kSettled;
}

std::optional<std::chrono::milliseconds> Replays::work(std::stop_token stop) {
  bool left = false;
  for (const Waiting& one : waiting()) {
    if (stop.stop_requested()) return kLater;
    if (!learning_.from(ScopeKey(one.candidate.owner))) continue;
    const Look look = look_at(one, stop);
    if (look == Look::kEnds) return kLater;
    left = left || look == Look::kLater;
  }
  if (!left) return std::nullopt;
  return kLater;
}

Status Replays::hold(const ScopeKey& scope) {
  std::unique_lock lock(mutex_);
  held_.insert(scope);
  if (playing_ == scope && stop_ != nullptr) stop_->source.request_stop();
  if (!changed_.wait_for(lock, kPatience, [&] { return playing_ != scope; }))
    return Error{ErrorCode::kTimeout, "a replay of " + scope.str() + " does not stop", "try again in a moment"};
  return {};
}

void Replays::let_go(const ScopeKey& scope) {
  {
    const std::lock_guard lock(mutex_);
    held_.erase(scope);
  }
  core_.replayer.wake();
}

Status Replays::erase(const ErasedMessages& gone) {
  std::error_code failed;
  fs::remove_all(scope_folder(core_.config.workspace, "evolution/replays", gone.scope), failed);
  if (failed) return unavailable("evolution/replays cannot be removed: " + failed.message());
  return log_.erase(gone.scope.str());
}

}  // namespace weft
