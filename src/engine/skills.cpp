#include "engine/skills.h"

#include "base/log.h"
#include "engine/engine_core.h"
#include "engine/replays.h"
#include "engine/run_learning.h"
#include "engine/scope_request.h"
#include "growth/skill_match.h"

namespace weft {
namespace {

constexpr std::chrono::milliseconds kLikenessLimit{500};  // then words decide
constexpr std::chrono::seconds kModelPatience{10};
constexpr std::size_t kMostTold = 3;

// What was changed has texts without vectors: wakes the thread that makes them.
template <class T>
T then_wake(Waker& thread, T outcome) {
  if (outcome.ok()) thread.wake();
  return outcome;
}

void embed_phrases(Embedder& embedder, std::span<const Skill> skills, const std::stop_token& stop) {
  for (const Skill& skill : skills)
    for (const std::string& phrase : skill_phrases(skill)) {
      if (stop.stop_requested()) return;
      (void)embedder.embed(phrase, EmbedUse::kCompare, Deadline({}, stop));
    }
}

}  // namespace

Skills::Skills(EngineCore& core, std::unique_ptr<StateChooser> chooser)
    : core_(core),
      likeness_(core, kLikenessLimit),
      library_({*core.store,
                *core.documents,
                disk(),
                {core.config.workspace},
                *core.clock,
                likeness_,
                core.config.evolution,
                replay_gate(core)}),
      chooser_(std::move(chooser)) {}

Result<std::vector<Skill>> Skills::skills(const RequestContext& request) { return library_.list(request.scope.key()); }

Result<Skill> Skills::skill(const RequestContext& request, const std::string& id) {
  return library_.find(request.scope.key(), id);
}

Result<Skill> Skills::put_skill(const RequestContext& request, const Skill& skill, const std::string& note) {
  Skill own = skill;
  WEFT_TRY(own.owner, owner_for(request, skill.owner, "skills"));
  return then_wake(core_.skill_embedder,
                   library_.put(std::move(own), note.empty() ? "put by " + speaker_of(request) : note));
}

Result<Skill> Skills::teach_skill(const RequestContext& request, const SkillLesson& lesson) {
  SkillLesson own = lesson;
  WEFT_TRY(own.owner, owner_for(request, lesson.owner, "skills"));
  return then_wake(core_.skill_embedder, library_.teach(own, speaker_of(request)));
}

Result<Skill> Skills::change_skill(const RequestContext& request, const std::string& id, const SkillChange& change) {
  return then_wake(core_.skill_embedder, library_.change(request.scope.key(), id, change));
}

Result<std::string> Skills::skill_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                       std::int64_t to) {
  return library_.diff(request.scope.key(), id, from, to);
}

// Who asks for this alone is told what a run would be, and waits for the model rather than be told what words know.
Result<std::vector<SkillMatch>> Skills::match_skills(const RequestContext& request, const std::string& task) {
  const Deadline deadline = Deadline(request.deadline, request.cancel).within(kModelPatience);
  const auto told = library_.told(request.scope.key());
  if (auto chosen = chooser_->choose(told, task, kMostTold, deadline)) return std::move(chosen->matches);
  if (const auto serving = core_.change->serving(); serving->embedder() != nullptr)
    (void)serving->model.wait_ready(deadline);
  return weft::match_skills(ServingLikeness(core_, kModelPatience), told, task, kMostTold);
}

Result<Skill> Skills::import_skill(const RequestContext& request, const SkillFolder& folder) {
  SkillFolder own = folder;
  WEFT_TRY(own.owner, owner_for(request, folder.owner, "skills"));
  return then_wake(core_.skill_embedder, library_.import_folder(own, speaker_of(request)));
}

Result<SkillFolder> Skills::export_skill(const RequestContext& request, const std::string& id) {
  return library_.export_folder(request.scope.key(), id);
}

Status Skills::count_skills(const RequestContext& request, const TaskReport& report) {
  TaskReport own = report;
  WEFT_TRY(own.owner, owner_for(request, report.owner, "skills"));
  WEFT_CHECK(RunLearning(core_.config.workspace).check(own));
  return library_.count(own);
}

Status Skills::crystallise(const TaskReport& newest, std::span<const TaskReport> all) {
  WEFT_TRY(const auto made, then_wake(core_.skill_embedder, library_.crystallise(newest, all)));
  if (made) log_info("skills", made->skill_id + ": made of " + std::to_string(made->learned_from.size()) + " tasks");
  return {};
}

Status Skills::take_taught(const std::string& owner, const SkillLesson& lesson, const std::string& source) {
  SkillLesson own = lesson;
  own.owner = owner;
  WEFT_TRY(const auto made, then_wake(core_.skill_embedder, library_.take_taught(own, source)));
  if (made) log_info("skills", made->skill_id + ": taught in " + source);
  return {};
}

Result<std::vector<std::string>> Skills::skill_problems(const RequestContext&) { return library_.problems(); }

// A model that is still loading is not hurried: what ends at once needs none.
std::optional<std::chrono::milliseconds> Skills::warm(std::stop_token stop) {
  constexpr std::chrono::seconds kUntilLoaded{1}, kUntilOthers{10}, kAfterFailure{60};
  const auto all = library_.all();
  if (!all.ok()) return kAfterFailure;
  const auto serving = core_.change->serving();
  if (serving->embedder() != nullptr && !all->empty()) {
    if (serving->model.ready())
      embed_phrases(*serving->embedder(), *all, stop);
    else if (!serving->model.state().starts_with("failed"))
      return kUntilLoaded;
  }
  if (!chooser_->learn(*all, stop)) return kAfterFailure;
  return core_.store->is_shared() ? std::optional<std::chrono::milliseconds>(kUntilOthers) : std::nullopt;
}

Status Skills::erase(const ErasedLessons& gone) {
  WEFT_CHECK(library_.erase(gone));
  WEFT_TRY(const auto left, library_.all());
  return chooser_->keep_only(left);
}

std::vector<SkillMatch> Skills::fitting(const ScopeKey& scope, const std::string& task) {
  return library_.match(scope, task);
}

SkillChoice Skills::choose(const ScopeKey& scope, const std::string& task) {
  // A run begins behind it.
  const Deadline deadline = Deadline::after(std::chrono::seconds(core_.config.agent.choice_seconds));
  const auto told = library_.told(scope);
  if (auto chosen = chooser_->choose(told, task, kMostTold, deadline)) return std::move(*chosen);
  const auto ranked = weft::match_skills(likeness_, told, task, kChosenAmong, 0);
  ChatModel* model = fast_model(core_);
  if (model == nullptr || chooser_->serves()) return chosen_by_ranking(ranked, kMostTold);
  SkillChoice choice = chosen_by_model(*model, task, ranked, kMostTold, deadline);
  if (!choice.failed.empty()) log_info("skills", "chosen by ranking: " + choice.failed);
  return choice;
}

std::string Skills::text_of(const SkillMatch& match) const {
  std::vector<std::string> paths;
  for (const std::string& path : library_.resources(match.skill)) paths.push_back(match.skill.folder + "/" + path);
  return skill_text(match, paths);
}

Status Skills::settle(const std::string& id, const PromotionGate& gate) {
  return then_wake(core_.skill_embedder, library_.settle(id, gate));
}

}  // namespace weft
