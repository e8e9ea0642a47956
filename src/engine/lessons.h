#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/run_kit.h"
#include "engine/serving.h"
#include "growth/mutation_lab.h"
#include "growth/rule_book.h"
#include "growth/skill_library.h"
#include "growth/skill_match.h"
#include "growth/skill_shelf.h"
#include "ports/chat/chat_model.h"
#include "ports/embedding/vector_file.h"
#include "weft/growth.h"
#include "weft/request.h"

namespace weft {

/// Skills and tasks by what a chat model takes them to call for, see `StateEmbedder`. What skills say of themselves is
/// read in the background, once: it is kept in a file. A task is read when it is matched, which takes as long as the
/// model's first word. Safe from any thread.
class SkillStates {
 public:
  /// The weights that ship for the states of this model; null where none were fitted: by those of another one nothing
  /// is known to be near.
  static const SkillWeights* shipped_for(const ChatModel& model);

  /// What somebody has fitted for it. Errors: kNotFound where there is no such file, kInvalidArgument where it is for
  /// another model, or no file of weights.
  static Result<SkillWeights> read_weights(const ChatModel& model, const std::string& path);

  /// The model and the weights must outlive it. Errors: kUnavailable where the file cannot be written.
  static Result<std::unique_ptr<SkillStates>> open(ChatModel& model, const SkillWeights& weights,
                                                   const std::filesystem::path& file);

  /// Reads what these skills say of themselves as far as it is not kept, and forgets what others said. Errors: the
  /// model's, kCancelled where it is stopped; what was read until then is kept.
  Status learn(std::span<const Skill> skills, const std::stop_token& stop);

  /// Forgets what others than these skills said.
  Status keep_only(std::span<const Skill> skills);

  /// The skills that fit a task, the best first, at most `most`. Errors: kUnavailable while one of the skills is not
  /// read yet; the model's, where it does not read the task in time.
  Result<std::vector<SkillMatch>> match(std::span<const Skill> skills, const std::string& task, std::size_t most,
                                        const Deadline& deadline) const;

  /// What made the vectors, as what was chosen says by what.
  std::string name() const { return states_.name(); }

 private:
  SkillStates(ChatModel& model, const SkillWeights& weights) : states_(model), weights_(weights) {}

  mutable StateEmbedder states_;
  const SkillWeights& weights_;
  std::unique_ptr<VectorFile> kept_;
};

struct EngineCore;

/// Chooses skills by the states of the model of the role "fast", where weights were fitted for them. Their file is
/// opened when there is something to keep. `core` must outlive it. Safe from any thread.
class StateChooser {
 public:
  /// Reads the weights that are configured. Errors: see `SkillStates::read_weights`; kInvalidArgument where some are
  /// configured and no model has the role.
  static Result<std::unique_ptr<StateChooser>> open(const EngineCore& core);

  /// Whether states can choose at all: they can where there are weights for them.
  bool serves() const { return weights_ != nullptr; }

  /// The skills that fit a task, the best first; none where states do not serve, or some are still to come.
  std::optional<SkillChoice> choose(std::span<const Skill> skills, const std::string& task, std::size_t most,
                                    const Deadline& deadline);

  /// Reads what these skills say of themselves, and forgets what others said. In the background. False where something
  /// is left to read, since the model failed or reading was stopped.
  bool learn(std::span<const Skill> all, const std::stop_token& stop);

  /// Forgets what others than these skills said; all of it where states do not serve. Errors: those of the file.
  Status keep_only(std::span<const Skill> left);

 private:
  explicit StateChooser(const EngineCore& core) : core_(core) {}
  /// Opened where there is a file of them or one is `wanted`; null: there are none, or not yet.
  std::shared_ptr<SkillStates> states(bool wanted);

  const EngineCore& core_;
  std::optional<SkillWeights> own_weights_;
  const SkillWeights* weights_ = nullptr;  ///< null: states do not serve
  std::mutex mutex_;  ///< of what follows
  std::shared_ptr<SkillStates> states_;
};

/// The model of the role "fast"; null where the configuration names none.
ChatModel* fast_model(const EngineCore& core);

/// The procedures that were learnt, taught or imported. Safe from any thread; files are made when there is something to
/// keep.
class Skills final {
 public:
  Skills(EngineCore& core, std::unique_ptr<StateChooser> chooser);

  /// Takes in what former versions kept in files; to be called before anything else.
  Status open() { return library_.take_former_uses(); }

  // As the facet `Growth` says.
  Result<std::vector<Skill>> skills(const RequestContext& request);
  Result<Skill> skill(const RequestContext& request, const std::string& id);
  Result<Skill> put_skill(const RequestContext& request, const Skill& skill, const std::string& note);
  Result<Skill> teach_skill(const RequestContext& request, const SkillLesson& lesson);
  Result<Skill> change_skill(const RequestContext& request, const std::string& id, const SkillChange& change);
  Result<std::string> skill_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                 std::int64_t to);
  Result<std::vector<SkillMatch>> match_skills(const RequestContext& request, const std::string& task);
  Result<Skill> import_skill(const RequestContext& request, const SkillFolder& folder);
  Result<SkillFolder> export_skill(const RequestContext& request, const std::string& id);
  Status count_skills(const RequestContext& request, const TaskReport& report);
  Result<std::vector<std::string>> skill_problems(const RequestContext& request);

  /// The skills that fit a task, the best first, as prompts are told: what has no vector yet is judged by its words.
  std::vector<SkillMatch> fitting(const ScopeKey& scope, const std::string& task);

  /// The same for a task that is only beginning, within some seconds: where the model of the role "fast" gives states
  /// that weights were fitted for, by these; where it gives none, as it says which of the nearest ones fit; else by the
  /// ranking.
  SkillChoice choose(const ScopeKey& scope, const std::string& task);

  /// Makes a skill on trial of what tasks of one owner had in common, if they have; `newest` has just succeeded.
  Status crystallise(const TaskReport& newest, std::span<const TaskReport> all);

  /// What a user teaches in a talk, see `taught_procedure`.
  Status take_taught(const std::string& owner, const SkillLesson& lesson, const std::string& source);

  /// Makes the vectors of what skills say of themselves, so that no task waits for them. In the background; gives when
  /// to look again.
  std::optional<std::chrono::milliseconds> warm(std::stop_token stop);

  /// What waits until it was tried on past tasks, and what these say; see `SkillLibrary`.
  Result<std::vector<Skill>> waiting() { return library_.waiting(); }
  Status settle(const std::string& id, const PromotionGate& gate);

  /// For who changes skills.
  SkillShelf& shelf() { return library_; }

  /// Takes out what was learnt from a scope.
  Status erase(const ErasedLessons& gone);
  Result<std::set<std::string>> made_of(const ErasedLessons& gone) { return library_.made_of(gone); }

  /// A skill as a prompt is told of it.
  std::string text_of(const SkillMatch& match) const;

 private:
  EngineCore& core_;
  ServingLikeness likeness_;
  SkillLibrary library_;
  std::unique_ptr<StateChooser> chooser_;
};

/// What was learnt of how to work: rules, and changes of skills on trial. Safe from any thread; files are made when
/// there is something to keep.
class Rules final {
 public:
  /// Changes of skills are tried on those of `skills` and find other tools in the kit.
  Rules(EngineCore& core, SkillShelf& skills, RunKit& kit);

  // As the facet `Growth` says.
  Status take_reflection(const RequestContext& request, const Reflection& reflection);
  Result<std::vector<Rule>> rules(const RequestContext& request);
  Result<Rule> change_rule(const RequestContext& request, const std::string& id, const RuleChange& change);
  Result<std::string> rule_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                std::int64_t to);
  Result<std::vector<Rule>> rules_for(const RequestContext& request, const std::string& task);
  Status count_report(const RequestContext& request, const TaskReport& report);
  Result<std::vector<std::string>> rule_problems(const RequestContext& request);
  Result<std::vector<Mutation>> mutations(const RequestContext& request);
  Result<std::vector<Mutation>> propose(const RequestContext& request, const std::string& skill);
  Result<Mutation> judge_mutation(const RequestContext& request, const std::string& id, bool approve,
                                  const std::string& why);
  Result<Skill> skill_for(const RequestContext& request, const std::string& skill, const std::string& task);

  /// Whether anything is learnt from this caller, see `LearningPlan`.
  bool learns(const RequestContext& request) const;

  /// Takes out what was learnt from erased messages. `skills`: those that go.
  Status erase(const ErasedLessons& gone, const std::set<std::string>& skills);

  /// Of one owner's task: the rules on probation that are related to it.
  std::vector<Rule> rules_on_trial(const ScopeKey& scope, std::string_view task) {
    return book_.trial_rules(scope, task);
  }
  /// What waits until it was tried on past tasks, and what these say; see `RuleBook` and `MutationLab`.
  Result<std::vector<Rule>> waiting() { return book_.waiting(); }
  Result<std::vector<Mutation>> mutations_waiting() { return lab_.waiting(); }
  Status settle_rule(const std::string& id, const PromotionGate& gate) { return book_.settle(id, gate); }
  Status settle_mutation(const std::string& id, const PromotionGate& gate) { return lab_.settle(id, gate); }

  /// Whether this is the id of a change of a skill that is on trial.
  bool is_on_trial(const RequestContext& request, const std::string& mutation);
  /// The active rules, each new one behind those before it.
  std::vector<Rule> active_rules(const ScopeKey& scope) { return book_.active_rules(scope); }

 private:
  EngineCore& core_;
  ServingLikeness likeness_;
  RuleBook book_;
  MutationLab lab_;
};

}  // namespace weft
