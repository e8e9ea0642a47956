#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/facets/facet.h"
#include "weft/growth.h"

namespace weft {

/// What the agent learns, as far as the caller may know of it: what belongs to the workspace and to the caller's own
/// scope. What was learnt from one person is never told to another.
class Growth : public Facet {
 public:
  /// Hands what a reflection suggests on to the rules: candidates are counted, like rules merged, contradictions
  /// reported. A reflection that was taken already changes nothing. kInvalidArgument without an id; one of another
  /// owner than the caller or the workspace is refused (kPermission).
  Status take_reflection(const Reflection& reflection) const;
  /// All rules in every stage, those that are told first, in the order in which they are told.
  Result<std::vector<Rule>> rules() const;
  /// kNotFound where there is none of that id, or it is somebody else's.
  Result<Rule> rule(const std::string& id) const;
  /// Approves, refuses, retires, pins, disables, rolls back or edits a rule; gives it as it is then.
  Result<Rule> change_rule(const std::string& id, const RuleChange& change) const;
  /// What changed between two versions of a rule, for people; 0: the newest, and the one before it.
  Result<std::string> rule_diff(const std::string& id, std::int64_t from = 0, std::int64_t to = 0) const;
  /// What a task is told: a snapshot to be kept for the whole task. Rules on probation come last; their stage says so.
  Result<std::vector<Rule>> rules_for(const std::string& task) const;
  /// Counts how a task went for the rules and skills that stood in its prompts. A report counts once.
  Status count_report(const TaskReport& report) const;
  /// What is wrong in the files of rules and of changed skills, with line and key.
  Result<std::vector<std::string>> rule_problems() const;

  /// Changes of skills on trial, waiting, kept and discarded.
  Result<std::vector<Mutation>> mutations() const;
  /// Proposes changes of a skill that is good enough for it, and begins to try those that need no approval.
  Result<std::vector<Mutation>> propose_mutations(const std::string& skill) const;
  /// A person approves or refuses a change that waits, or ends one that is on trial.
  Result<Mutation> judge_mutation(const std::string& id, bool approve, const std::string& why = {}) const;
  /// The skill as this task is to use it: the original, or a change of it that is on trial. The same for a task each
  /// time.
  Result<Skill> skill_for(const std::string& skill, const std::string& task) const;

  /// The caller's skills and those of the workspace, those that serve first.
  Result<std::vector<Skill>> skills() const;
  /// kNotFound where there is none of that id, or it is somebody else's.
  Result<Skill> skill(const std::string& id) const;
  /// Puts a skill in the place of the one with its id, which stands in the history then; or a new one.
  Result<Skill> put_skill(const Skill& skill, const std::string& note = {}) const;
  /// Takes a procedure in a person's own words.
  Result<Skill> teach_skill(const SkillLesson& lesson) const;
  /// Retires, pins, unpins, disables, enables, rolls back or removes a skill; gives it as it is then.
  Result<Skill> change_skill(const std::string& id, const SkillChange& change) const;
  /// What changed between two versions, for people; 0: the newest, and the one before it.
  Result<std::string> skill_diff(const std::string& id, std::int64_t from = 0, std::int64_t to = 0) const;
  /// Which skills fit a task, the best first: what its prompts hold.
  Result<std::vector<SkillMatch>> match_skills(const std::string& task) const;
  /// Takes an Agent Skill; nothing in it is run.
  Result<Skill> import_skill(const SkillFolder& folder) const;
  /// A skill as an Agent Skill.
  Result<SkillFolder> export_skill(const std::string& id) const;
  /// Counts how a task went for the skills that stood in its prompts. A report counts once.
  Status count_skills(const TaskReport& report) const;
  /// What is wrong in the files of skills, with line and key.
  Result<std::vector<std::string>> skill_problems() const;

 private:
  friend class Engine;
  using Facet::Facet;
};

}  // namespace weft
