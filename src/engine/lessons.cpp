#include "engine/lessons.h"

#include <filesystem>

#include "base/log.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "engine/learning_budget.h"
#include "engine/replays.h"
#include "growth/growth_files.h"
#include "growth/learning_plan.h"
#include "growth/skill_match.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr EmbedUse kUse = EmbedUse::kCompare;

std::vector<std::string> phrases_of(std::span<const Skill> skills) {
  std::vector<std::string> all;
  for (const Skill& skill : skills)
    for (std::string& phrase : skill_phrases(skill)) all.push_back(std::move(phrase));
  return all;
}

// A task's state, and those of skills as they are kept.
class KeptStates final : public Likeness {
 public:
  KeptStates(const std::string& task, Vector state, const VectorFile& kept)
      : task_(task), state_(std::move(state)), kept_(kept) {}

  std::vector<double> to_all(std::string_view text, std::span<const std::string> others) const override {
    return WordLikeness().to_all(text, others);
  }

  TextVectors vectors(std::span<const std::string> texts) const override {
    static const auto as_it_is = std::make_shared<const Similarity>(Similarity::raw());
    TextVectors found{kept_.name(), as_it_is, {}};
    for (const std::string& text : texts) found.vectors.push_back(text == task_ ? state_ : kept_.kept(text, kUse));
    return found;
  }

  bool by_meaning() const override { return true; }

 private:
  const std::string& task_;
  const Vector state_;
  const VectorFile& kept_;
};

}  // namespace

ChatModel* fast_model(const EngineCore& core) {
  return core.config.roles.contains("fast") ? core.models->chat("fast") : nullptr;
}

Result<std::unique_ptr<StateChooser>> StateChooser::open(const EngineCore& core) {
  std::unique_ptr<StateChooser> made(new StateChooser(core));
  const ChatModel* model = fast_model(core);
  const std::string& path = core.config.agent.skill_weights;
  if (!path.empty() && model == nullptr)
    return invalid_argument("agent.skill_weights is set, and no model has the role 'fast'",
                            "weft.toml names one under [roles]");
  if (path.empty()) {
    made->weights_ = model != nullptr ? SkillStates::shipped_for(*model) : nullptr;
    return made;
  }
  WEFT_TRY(made->own_weights_, SkillStates::read_weights(*model, path));
  made->weights_ = &*made->own_weights_;
  return made;
}

std::shared_ptr<SkillStates> StateChooser::states(bool wanted) {
  const auto file = GrowthFiles{core_.config.workspace}.skill_states();
  std::error_code ignored;
  const std::lock_guard lock(mutex_);
  if (states_ || weights_ == nullptr || (!wanted && !std::filesystem::exists(file, ignored))) return states_;
  auto opened = SkillStates::open(*fast_model(core_), *weights_, file);
  if (opened.ok())
    states_ = std::move(*opened);
  else
    log_warning("skills.states", opened.error().message);
  return states_;
}

std::optional<SkillChoice> StateChooser::choose(std::span<const Skill> skills, const std::string& task,
                                                std::size_t most, const Deadline& deadline) {
  const auto opened = states(false);
  if (!opened) return std::nullopt;
  auto matches = opened->match(skills, task, most, deadline);
  if (matches.ok()) return SkillChoice{std::move(*matches), "states of " + opened->name(), {}};
  log_info("skills", "not chosen by states: " + matches.error().message);
  return std::nullopt;
}

bool StateChooser::learn(std::span<const Skill> all, const std::stop_token& stop) {
  const auto opened = states(!all.empty());
  if (!opened) return true;
  const Status read = opened->learn(all, stop);
  if (!read.ok() && !stop.stop_requested()) log_warning("skills.states", read.error().message);
  return read.ok();
}

Status StateChooser::keep_only(std::span<const Skill> left) {
  if (const auto opened = states(false)) return opened->keep_only(left);
  // Of a model that was configured once: nobody reads it, and what it holds is of whoever is erased, too.
  return disk().remove(GrowthFiles{core_.config.workspace}.skill_states());
}

const SkillWeights* SkillStates::shipped_for(const ChatModel& model) {
  if (!model.state_space().given()) return nullptr;
  const SkillWeights* fitted = SkillWeights::fitted_for(StateEmbedder::name_for(model));
  return fitted != nullptr && fitted->work.size() == model.state_space().dimensions ? fitted : nullptr;
}

Result<SkillWeights> SkillStates::read_weights(const ChatModel& model, const std::string& path) {
  WEFT_TRY(const std::string source, disk().read(path));
  WEFT_TRY(SkillWeights read, SkillWeights::parse(source, path));
  const std::string name = StateEmbedder::name_for(model);
  if (!model.state_space().given() || read.embedder != lowered(name) ||
      read.work.size() != model.state_space().dimensions)
    return invalid_argument(path + " was fitted for \"" + read.embedder + "\", and the model of the role 'fast' is \"" +
                                (model.state_space().given() ? lowered(name) : model.name()) + "\"",
                            "tools/fit/skills.py fits it for that one");
  return read;
}

Result<std::unique_ptr<SkillStates>> SkillStates::open(ChatModel& model, const SkillWeights& weights,
                                                       const fs::path& file) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);  // the file's own error says more
  std::unique_ptr<SkillStates> made(new SkillStates(model, weights));
  WEFT_TRY(made->kept_, VectorFile::open(file, made->states_));
  return made;
}

Status SkillStates::learn(std::span<const Skill> skills, const std::stop_token& stop) {
  WEFT_CHECK(keep_only(skills));
  for (const std::string& phrase : phrases_of(skills)) {
    const auto read = kept_->embed(phrase, kUse, Deadline({}, stop));
    // What says nothing has no state; anything else is the model's trouble, and the next text would have it, too.
    if (!read.ok() && read.error().code != ErrorCode::kInvalidArgument) return read.error();
  }
  return {};
}

Status SkillStates::keep_only(std::span<const Skill> skills) { return kept_->keep_only(phrases_of(skills), kUse); }

Result<std::vector<SkillMatch>> SkillStates::match(std::span<const Skill> skills, const std::string& task,
                                                   std::size_t most, const Deadline& deadline) const {
  std::size_t unread = 0;
  for (const std::string& phrase : phrases_of(skills)) unread += has_word(phrase) && !kept_->keeps(phrase, kUse);
  if (unread > 0) return unavailable(std::to_string(unread) + " texts of skills are not read yet");
  WEFT_TRY(Vector state, states_.embed(task, kUse, deadline));
  return match_skills(KeptStates(task, std::move(state), *kept_), skills, task, most, kReferred, &weights_);
}

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

Rules::Rules(EngineCore& core, SkillShelf& skills, RunKit& kit)
    : core_(core),
      likeness_(core, kLikenessLimit),
      book_({*core.store,
             *core.documents,
             {core.config.workspace},
             *core.clock,
             likeness_,
             core.config.evolution,
             replay_gate(core)}),
      lab_({disk(),
            {core.config.workspace},
            *core.clock,
            likeness_,
            core.config.evolution,
            skills,
            [this] { return core_.models->chat("main"); },
            [&kit] { return kit.registry(); },
            replay_gate(core)}) {}

bool Rules::learns(const RequestContext& request) const {
  return learns_from(core_.config.workspace, request.scope.key());
}

Status Rules::take_reflection(const RequestContext& request, const Reflection& reflection) {
  Reflection own = reflection;
  WEFT_TRY(own.owner, owner_for(request, own.owner, "reflection " + own.id));
  if (!learns(request)) return learning_is_off(request.scope.key());
  return book_.take(own);
}

Result<std::vector<Rule>> Rules::rules(const RequestContext& request) { return book_.rules(request.scope.key()); }

Result<Rule> Rules::change_rule(const RequestContext& request, const std::string& id, const RuleChange& change) {
  return book_.change(request.scope.key(), id, change);
}

Result<std::string> Rules::rule_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                     std::int64_t to) {
  return book_.diff(request.scope.key(), id, from, to);
}

Result<std::vector<Rule>> Rules::rules_for(const RequestContext& request, const std::string& task) {
  return book_.rules_for(request.scope.key(), task);
}

Status Rules::count_report(const RequestContext& request, const TaskReport& report) {
  TaskReport own = report;
  WEFT_TRY(own.owner, owner_for(request, own.owner, "task report " + own.id));
  if (!learns(request)) return learning_is_off(request.scope.key());
  WEFT_CHECK(RunLearning(core_.config.workspace).check(own));
  WEFT_CHECK(book_.count(own));
  return lab_.count(own);
}

Result<std::vector<std::string>> Rules::rule_problems(const RequestContext&) { return book_.problems(); }

Result<std::vector<Mutation>> Rules::mutations(const RequestContext& request) { return lab_.list(request.scope.key()); }

Result<std::vector<Mutation>> Rules::propose(const RequestContext& request, const std::string& skill) {
  if (!learns(request)) return learning_is_off(request.scope.key());
  return lab_.propose(request.scope.key(), skill);
}

Result<Mutation> Rules::judge_mutation(const RequestContext& request, const std::string& id, bool approve,
                                       const std::string& why) {
  return lab_.judge_by_person(request.scope.key(), id, approve, why, speaker_of(request));
}

Result<Skill> Rules::skill_for(const RequestContext& request, const std::string& skill, const std::string& task) {
  return lab_.skill_for(request.scope.key(), skill, task);
}

Status Rules::erase(const ErasedLessons& gone, const std::set<std::string>& skills) {
  WEFT_CHECK(book_.erase(gone));
  return lab_.erase(gone, skills);
}

bool Rules::is_on_trial(const RequestContext& request, const std::string& mutation) {
  for (const Mutation& one : lab_.list(request.scope.key()).value_or({}))
    if (one.id == mutation) return one.stage == MutationStage::kTesting;
  return false;
}

}  // namespace weft
