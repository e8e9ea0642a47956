#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/services.h"
#include "engine/serving_likeness.h"
#include "growth/skill_library.h"

namespace weft {

struct EngineCore;

/// The procedures that were learnt, taught or imported. Safe from any thread; files are made when there is something to
/// keep.
class Skills final : public SkillService {
 public:
  explicit Skills(EngineCore& core);

  // As `SkillService` says.
  Result<std::vector<Skill>> skills(const RequestContext& request) override;
  Result<Skill> skill(const RequestContext& request, const std::string& id) override;
  Result<Skill> put_skill(const RequestContext& request, const Skill& skill, const std::string& note) override;
  Result<Skill> teach_skill(const RequestContext& request, const SkillLesson& lesson) override;
  Result<Skill> change_skill(const RequestContext& request, const std::string& id, const SkillChange& change) override;
  Result<std::string> skill_diff(const RequestContext& request, const std::string& id, std::int64_t from,
                                 std::int64_t to) override;
  Result<std::vector<SkillMatch>> match_skills(const RequestContext& request, const std::string& task) override;
  Result<Skill> import_skill(const RequestContext& request, const SkillFolder& folder) override;
  Result<SkillFolder> export_skill(const RequestContext& request, const std::string& id) override;
  Status count_skills(const RequestContext& request, const TaskReport& report) override;
  Result<std::vector<std::string>> skill_problems(const RequestContext& request) override;

  /// What a prompt for this task is told of skills, one text each, the best first.
  std::vector<std::string> for_prompt(const std::string& scope, const std::string& task);

  /// For who changes skills.
  SkillShelf& shelf() { return library_; }

  /// Takes out what was learnt from a scope.
  Status erase(const ErasedLessons& gone) { return library_.erase(gone); }
  Result<std::set<std::string>> made_of(const ErasedLessons& gone) { return library_.made_of(gone); }

  /// A skill as a prompt is told of it.
  std::string text_of(const SkillMatch& match) const;

 private:
  ServingLikeness likeness_;
  SkillLibrary library_;
};

}  // namespace weft
