#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/agent.h"
#include "weft/choices.h"
#include "weft/time.h"

namespace weft {

enum class Grade { kLow, kMedium, kHigh };  ///< of confidence, severity, urgency
std::string_view to_string(Grade grade);

/// Why a step failed (002, 3.2).
enum class ErrorCause { kMissingInformation, kWrongStrategy, kToolMisuse, kModelLimit };
std::string_view to_string(ErrorCause cause);

enum class ReflectionTrigger { kTaskEnd, kError, kReview, kFeedback };
std::string_view to_string(ReflectionTrigger trigger);

/// What went wrong in a step, and what helps.
struct Diagnosis {
  std::int64_t step = 0;  ///< of the report; 0: of none in particular
  ErrorCause cause = ErrorCause::kWrongStrategy;
  std::string what, remedy;
};

/// A piece of advice that a reflection gives.
struct Suggestion {
  std::string strategy;    ///< what to do
  std::string applies_to;  ///< when
  std::string expected;    ///< what gets better
  Grade confidence = Grade::kLow;
  Grade severity = Grade::kLow;  ///< how bad it is not to follow it
  bool restricts = false;        ///< it only forbids or asks before: it cannot do harm by itself
};

/// What was made of a task report, an error, a day or what a user said.
struct Reflection {
  std::string id;
  Time time;
  ReflectionTrigger trigger = ReflectionTrigger::kTaskEnd;
  std::string owner;
  std::vector<std::string> reports;  ///< ids of the task reports that it is about
  std::string session, task;         ///< of the report; of several, of the first
  Outcome outcome = Outcome::kUnknown;
  Provenance provenance = Provenance::kOwnRun;  ///< the weakest of what it stands on
  std::string assessment;   ///< was the intent met?
  std::string efficiency;   ///< what was quick, what was wasted
  std::vector<Diagnosis> errors;
  std::vector<Suggestion> suggestions;  ///< one to three
  std::vector<std::string> gaps;        ///< tools, knowledge, skills that were missing
  MadeBy by = MadeBy::kFloor;
  std::string model, prompt; ///< which, where a model made it
  std::string failed;        ///< why the model's answer could not be used; the floor's stands instead
};

/// Where a rule or a skill is in its life.
enum class LifeStage { kCandidate, kProbation, kActive, kDeprecated, kRetired, kRefused };
std::string_view to_string(LifeStage stage);

/// How often something that was learnt stood in a prompt, was followed, and with which outcomes. Kept apart, since they
/// are different things.
struct UseCount {
  std::int64_t injected = 0, followed = 0;
  std::int64_t succeeded = 0, failed = 0;  ///< of the tasks with a known outcome
  std::int64_t ineffective_in_a_row = 0;
};

/// How far what is to be promoted is with being tried on past tasks.
enum class GateStage { kNone, kWaiting, kPassed, kHeldBack, kNotReplayed };
std::string_view to_string(GateStage stage);

/// What past tasks say of something that passed its trial: they are played again with and without it before it is
/// promoted. What breaks one is held back until a person approves it, or it is changed.
struct PromotionGate {
  GateStage stage = GateStage::kNone;
  std::int64_t version = 0;  ///< of the candidate
  std::int64_t replayed = 0;  ///< tasks that could be judged both ways
  std::vector<std::string> repaired, broken;  ///< ids of runs that only succeed with it, and only without it
  std::string why;  ///< it waits, is held back or was not replayed
  Time time;
};

/// An earlier form.
struct OldVersion {
  std::int64_t version = 0;
  Time time;
  std::string note;  ///< what was changed, and by whom
  std::string content;  ///< the whole, as it stood: JSON
};

/// One reflection that a rule stands on. Copies and retries of a task count once, so what tells them apart is kept.
struct RuleEvidence {
  std::string reflection, session, task;
  std::vector<std::string> reports;
  std::string day;  ///< YYYY-MM-DD
  Outcome outcome = Outcome::kUnknown;
  Provenance provenance = Provenance::kOwnRun;
};

/// A strategy rule.
struct Rule {
  std::string id;
  std::string owner;  ///< "workspace", "user:ann", "group:g": who it is told to
  std::string strategy, applies_to, expected;
  LifeStage stage = LifeStage::kCandidate;
  Grade confidence = Grade::kLow, severity = Grade::kLow;
  bool restricts = false;
  Provenance provenance = Provenance::kOwnRun;
  std::int64_t version = 1;
  std::vector<std::string> learned_from;  ///< ids of reflections
  std::int64_t goal_tasks = 0;  ///< of the probation: related tasks that are looked at
  double goal_rate = 0;  ///< and the share of them that must succeed
  UseCount uses;
  bool pinned = false, disabled = false;  ///< by a person
  std::string note;  ///< why it is in this stage
  PromotionGate gate;
  Time created, updated;
  std::vector<OldVersion> history;
  std::vector<RuleEvidence> evidence;  ///< what it stands on
};

/// What a person does to a rule.
enum class RuleAction { kApprove, kRefuse, kRetire, kPin, kUnpin, kDisable, kEnable, kRollBack, kEdit };
std::string_view to_string(RuleAction action);

struct RuleChange {
  RuleAction action = RuleAction::kApprove;
  std::string by = "user";  ///< who
  std::string why;
  std::int64_t version = 0;  ///< for kRollBack: which is put back; 0: the last before this
  std::string strategy, applies_to, expected;  ///< for kEdit: the new texts; empty ones stay
};

struct SkillStep {
  std::string action, details;
  std::vector<std::string> tools;
};

/// Where a skill comes from (002, 2.1).
enum class SkillOrigin { kReflection, kEvolution, kTaught, kImported };
std::string_view to_string(SkillOrigin origin);

/// A procedure that was learnt: a file skills/learned/ID.yaml.
struct Skill {
  std::string skill_id;  ///< "competitive_analysis_v3"
  std::string owner = "workspace";
  std::string name, description;
  std::vector<std::string> trigger_conditions;
  std::vector<SkillStep> steps;
  std::string body;  ///< Markdown of a skill that has no steps (Agent Skills)
  std::vector<std::string> learned_from;
  double success_rate = 0;
  std::string last_updated;  ///< YYYY-MM-DD
  std::vector<OldVersion> version_history;
  SkillOrigin origin = SkillOrigin::kReflection;
  LifeStage stage = LifeStage::kActive;
  UseCount uses;
  bool pinned = false, disabled = false;
  std::string folder;  ///< of an imported Agent Skill, for its scripts and references; empty: none
  PromotionGate gate;
};

/// Kinds of change to a skill (002, 4.2).
enum class MutationType { kParameter, kOrder, kStep, kStrategy };
std::string_view to_string(MutationType type);

enum class MutationStage { kAwaitingApproval, kTesting, kKept, kDiscarded, kInconclusive };
std::string_view to_string(MutationStage stage);

/// A changed skill on trial against the original.
struct Mutation {
  std::string id, skill_id;
  MutationType type = MutationType::kParameter;
  std::string change, reason, risk, validation;
  MutationStage stage = MutationStage::kTesting;
  Skill variant;
  std::int64_t original_uses = 0, original_successes = 0;
  std::int64_t variant_uses = 0, variant_successes = 0;
  double probability_better = 0.5;
  std::uint64_t seed = 0;
  std::string decided;  ///< why it was kept, discarded or left open
  PromotionGate gate;
  Time created, updated;
};

/// What is believed of a user's preference in one dimension (002, 4.3).
struct Belief {
  std::string owner, dimension;  ///< "detail", "format", "language", …
  std::string value;
  double confidence = 0;
  std::int64_t evidence_count = 0, contradictions = 0;
  std::string last_updated;  ///< RFC 3339
  double alpha = 1, beta = 1;  ///< of the posterior, in the preset `balanced`
  bool needs_confirmation = false, confirmed = false;
  std::vector<std::string> sources;  ///< "SESSION/MESSAGE", the newest last
  std::int64_t choices = 0;  ///< that agree and wait until there are enough of them to count
  std::string told;  ///< as prompts tell it, in the user's language
};

enum class QuestionKind { kKnowledge, kDecision, kAction, kJudgement, kUnknownOutcome, kApproval };
std::string_view to_string(QuestionKind kind);

enum class QuestionStage { kQueued, kAsked, kAnswered, kExpired, kWithdrawn };
std::string_view to_string(QuestionStage stage);

/// What only a person can answer or do (002, 5.2).
struct Question {
  std::string id, owner, run, session;
  QuestionKind kind = QuestionKind::kKnowledge;
  Grade urgency = Grade::kMedium;
  std::string text;  ///< as it is asked, one question
  std::string why;  ///< what it is needed for
  std::vector<std::string> choices;
  std::string fallback;  ///< what is done without an answer
  std::string arguments;  ///< of an approval: JSON of the call that is asked about
  std::string about;  ///< "belief:detail": what the answer settles; empty: nothing but the run's own
  QuestionStage stage = QuestionStage::kQueued;
  Time created, asked, expires, answered;
  std::string answer;
};

/// How a skill that fits a task stands in its prompt.
enum class SkillUse { kFollow, kReference };
std::string_view to_string(SkillUse use);

/// A skill that fits a task.
struct SkillMatch {
  Skill skill;
  double likeness = 0;  ///< 0.6 and more: a reference; 0.8 and more: to be followed
  SkillUse use = SkillUse::kReference;
};

/// What a person does to a skill. Approving makes it active, whatever its trial and past tasks say; enabling brings
/// back what was retired or deprecated, too.
enum class SkillAction { kApprove, kRetire, kPin, kUnpin, kDisable, kEnable, kRollBack, kRemove };
std::string_view to_string(SkillAction action);

struct SkillChange {
  SkillAction action = SkillAction::kRetire;
  std::string by = "user";  ///< who
  std::string why;
  std::int64_t version = 0;  ///< for kRollBack: which is put back; 0: the last before this
};

/// A procedure in a person's own words: a numbered or bulleted list, with what stands before it.
struct SkillLesson {
  std::string text;  ///< Markdown or plain text
  std::string name;  ///< empty: the heading, or the first line
  std::string owner;  ///< empty: who teaches; "workspace": everybody
};

struct SkillFile {
  std::string path;  ///< in the folder: "scripts/run.sh"
  std::string content;
};

/// An Agent Skill: a folder with SKILL.md.
struct SkillFolder {
  std::string name;
  std::string owner;  ///< on import, as in `SkillLesson`
  std::vector<SkillFile> files;
  std::vector<std::string> left_out;  ///< paths of files that are no text, where only text can be given
};

}  // namespace weft
