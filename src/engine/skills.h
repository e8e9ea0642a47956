#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/serving_likeness.h"
#include "engine/state_chooser.h"
#include "growth/skill_choice.h"
#include "growth/skill_library.h"
#include "weft/growth.h"
#include "weft/request.h"
#include "weft/skills.h"

namespace weft {

struct EngineCore;

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

}  // namespace weft
