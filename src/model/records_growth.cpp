// What an agent learns: reflections, rules, skills and their changes, beliefs, questions.
#include "model/growth_records.h"
#include "weft/growth.h"

namespace weft {
namespace {

constexpr FieldRule kSparse{.sparse = true};
constexpr FieldRule kRequired{.required = true};
constexpr FieldRule kShare{.sparse = true, .least = 0, .most = 1};

}  // namespace

template <>
const Record<Diagnosis>& record<Diagnosis>() {
  static const auto made = Record<Diagnosis>("Diagnosis", "What went wrong, and what helps.", RecordUse::kBoth)
                               .field("step", &Diagnosis::step, "of the report; 0: of none in particular", kSparse)
                               .field("cause", &Diagnosis::cause, "of which kind it is")
                               .field("what", &Diagnosis::what, "the root of it")
                               .field("remedy", &Diagnosis::remedy, "what helps", kSparse);
  return made;
}

template <>
const Record<Suggestion>& record<Suggestion>() {
  static const auto made = Record<Suggestion>("Suggestion", "A piece of advice.", RecordUse::kBoth)
                               .field("strategy", &Suggestion::strategy, "what to do", kRequired)
                               .field("applies_to", &Suggestion::applies_to, "when", kSparse)
                               .field("expected", &Suggestion::expected, "what gets better", kSparse)
                               .field("confidence", &Suggestion::confidence, "how sure it is")
                               .field("severity", &Suggestion::severity, "how bad it is not to follow it")
                               .field("restricts", &Suggestion::restricts, "it only forbids or asks before", kSparse);
  return made;
}

template <>
const Record<Reflection>& record<Reflection>() {
  static const auto made =
      Record<Reflection>("Reflection", "What was learnt from a task, an error, a day or what a user said.",
                         RecordUse::kBoth)
          .field("id", &Reflection::id, "its own")
          .field("time", &Reflection::time, "when it was made")
          .field("trigger", &Reflection::trigger, "what it was made for")
          .field("owner", &Reflection::owner, "whose it is")
          .field("reports", &Reflection::reports, "ids of the task reports that it is about", kSparse)
          .field("session", &Reflection::session, "of the report", kSparse)
          .field("task", &Reflection::task, "of the report", kSparse)
          .field("outcome", &Reflection::outcome, "of the task")
          .field("provenance", &Reflection::provenance, "the weakest of what it stands on")
          .field("assessment", &Reflection::assessment, "was the intent met?", kSparse)
          .field("efficiency", &Reflection::efficiency, "what was quick, what was wasted", kSparse)
          .field("errors", &Reflection::errors, "what went wrong, and why", kSparse)
          .field("suggestions", &Reflection::suggestions, "what to do another time", kSparse)
          .field("gaps", &Reflection::gaps, "what was missing", kSparse)
          .field("by", &Reflection::by, "model or floor")
          .field("model", &Reflection::model, "which", kSparse)
          .field("prompt", &Reflection::prompt, "which, and its version", kSparse)
          .field("failed", &Reflection::failed, "why the model's answer could not be used", kSparse);
  return made;
}

template <>
const Record<UseCount>& record<UseCount>() {
  static const auto made =
      Record<UseCount>("UseCount", "How often it was used, and how that went.", RecordUse::kBoth)
          .field("injected", &UseCount::injected, "tasks in whose prompts it stood", kSparse)
          .field("followed", &UseCount::followed, "of them, where it was done", kSparse)
          .field("succeeded", &UseCount::succeeded, "tasks that succeeded", kSparse)
          .field("failed", &UseCount::failed, "tasks that failed", kSparse)
          .field("ineffective_in_a_row", &UseCount::ineffective_in_a_row, "the last uses without effect", kSparse);
  return made;
}

template <>
const Record<OldVersion>& record<OldVersion>() {
  static const auto made = Record<OldVersion>("OldVersion", "An earlier form.", RecordUse::kBoth)
                               .field("version", &OldVersion::version, "its number")
                               .field("time", &OldVersion::time, "until when it stood", kSparse)
                               .field("note", &OldVersion::note, "what was changed then, and by whom", kSparse)
                               .json("content", &OldVersion::content, "the whole", kSparse);
  return made;
}

template <>
const Record<PromotionGate>& record<PromotionGate>() {
  static const auto made =
      Record<PromotionGate>("PromotionGate", "What past tasks say of it, which are played again before it is promoted.",
                            RecordUse::kBoth)
          .field("stage", &PromotionGate::stage, "how far that is", kSparse)
          .field("version", &PromotionGate::version, "of what was tried", kSparse)
          .field("replayed", &PromotionGate::replayed, "tasks that could be judged with and without it", kSparse)
          .field("repaired", &PromotionGate::repaired, "runs that succeed only with it", kSparse)
          .field("broken", &PromotionGate::broken, "runs that succeed only without it", kSparse)
          .field("why", &PromotionGate::why, "it waits, is held back or was not replayed", kSparse)
          .field("time", &PromotionGate::time, "when that was so", kSparse);
  return made;
}

template <>
const Record<RuleEvidence>& record<RuleEvidence>() {
  static const auto made = Record<RuleEvidence>("RuleEvidence", "A reflection that a rule stands on.", RecordUse::kBoth)
                               .field("reflection", &RuleEvidence::reflection, "its id")
                               .field("session", &RuleEvidence::session, "of the task", kSparse)
                               .field("task", &RuleEvidence::task, "what it was about", kSparse)
                               .field("reports", &RuleEvidence::reports, "ids of task reports", kSparse)
                               .field("day", &RuleEvidence::day, "of the reflection", kSparse)
                               .field("outcome", &RuleEvidence::outcome, "of the task")
                               .field("provenance", &RuleEvidence::provenance, "who bears witness to it");
  return made;
}

template <>
const Record<Rule>& record<Rule>() {
  static const auto made = Record<Rule>("Rule", "A strategy rule.", RecordUse::kBoth)
                               .field("id", &Rule::id, "its own", kRequired)
                               .field("owner", &Rule::owner, "who it is told to: workspace, user:ann, group:g")
                               .field("strategy", &Rule::strategy, "what to do", kRequired)
                               .field("applies_to", &Rule::applies_to, "when", kSparse)
                               .field("expected", &Rule::expected, "what gets better", kSparse)
                               .field("stage", &Rule::stage, "where it is in its life")
                               .field("confidence", &Rule::confidence, "how sure it is")
                               .field("severity", &Rule::severity, "how bad it is not to follow it")
                               .field("restricts", &Rule::restricts, "it only forbids or asks before", kSparse)
                               .field("provenance", &Rule::provenance, "the weakest of what it stands on")
                               .field("version", &Rule::version, "counts up", kSparse)
                               .field("learned_from", &Rule::learned_from, "ids of reflections", kSparse)
                               .field("goal_tasks", &Rule::goal_tasks, "related tasks on which it is tried", kSparse)
                               .field("goal_rate", &Rule::goal_rate, "share of them that must succeed", kShare)
                               .field("uses", &Rule::uses, "how often it was used", kSparse)
                               .field("pinned", &Rule::pinned, "a person wants it kept", kSparse)
                               .field("disabled", &Rule::disabled, "a person has switched it off", kSparse)
                               .field("note", &Rule::note, "why it is in this stage", kSparse)
                               .field("gate", &Rule::gate, "what past tasks say of it", kSparse)
                               .field("created", &Rule::created, "when", kSparse)
                               .field("updated", &Rule::updated, "when", kSparse)
                               .field("history", &Rule::history, "earlier forms", kSparse)
                               .field("evidence", &Rule::evidence, "what it stands on", kSparse);
  return made;
}

template <>
const Record<RuleChange>& record<RuleChange>() {
  static const auto made =
      Record<RuleChange>("RuleChange", "What a person does to a rule.", RecordUse::kAsked)
          .field("action", &RuleChange::action, "what", kRequired)
          .field("by", &RuleChange::by, "who does it")
          .field("why", &RuleChange::why, "the reason, kept with the rule")
          .field("version", &RuleChange::version, "to roll back: which; 0: the last before", {.least = 0})
          .field("strategy", &RuleChange::strategy, "to edit: what to do; empty: as it is")
          .field("applies_to", &RuleChange::applies_to, "to edit: when; empty: as it is")
          .field("expected", &RuleChange::expected, "to edit: what gets better; empty: as it is");
  return made;
}

template <>
const Record<SkillStep>& record<SkillStep>() {
  static const auto made = Record<SkillStep>("SkillStep", "A step of a skill.", RecordUse::kBoth)
                               .field("action", &SkillStep::action, "what to do", kRequired)
                               .field("details", &SkillStep::details, "how", kSparse)
                               .field("tools", &SkillStep::tools, "with which", kSparse);
  return made;
}

template <>
const Record<Skill>& record<Skill>() {
  static const auto made =
      Record<Skill>("Skill", "A procedure that was learnt.", RecordUse::kBoth)
          .field("skill_id", &Skill::skill_id, "its own", kRequired)
          .field("owner", &Skill::owner, "who it is told to: workspace, user:ann, group:g", kSparse)
          .field("name", &Skill::name, "for people", kRequired)
          .field("description", &Skill::description, "what it is for", kRequired)
          .field("trigger_conditions", &Skill::trigger_conditions, "when it is wanted", kSparse)
          .field("steps", &Skill::steps, "in order", kSparse)
          .field("body", &Skill::body, "the procedure as Markdown, where it has no steps", kSparse)
          .field("learned_from", &Skill::learned_from, "ids of reflections", kSparse)
          .field("success_rate", &Skill::success_rate, "of the tasks in which it was used", kShare)
          .field("last_updated", &Skill::last_updated, "day", kSparse)
          .field("version_history", &Skill::version_history, "earlier forms", kSparse)
          .field("origin", &Skill::origin, "where it comes from")
          .field("stage", &Skill::stage, "where it is in its life")
          .field("uses", &Skill::uses, "how often it was used", kSparse)
          .field("pinned", &Skill::pinned, "a person wants it kept", kSparse)
          .field("disabled", &Skill::disabled, "a person has switched it off", kSparse)
          .field("folder", &Skill::folder, "of an imported skill, with its scripts and references", kSparse)
          .field("gate", &Skill::gate, "what past tasks say of it", kSparse);
  return made;
}

template <>
const Record<Mutation>& record<Mutation>() {
  static const auto made =
      Record<Mutation>("Mutation", "A changed skill on trial against the original.", RecordUse::kBoth)
          .field("id", &Mutation::id, "its own", kRequired)
          .field("skill_id", &Mutation::skill_id, "of the original", kRequired)
          .field("type", &Mutation::type, "A: a parameter, B: the order, C: a step, D: the strategy")
          .field("change", &Mutation::change, "what is changed")
          .field("reason", &Mutation::reason, "why that should be better", kSparse)
          .field("risk", &Mutation::risk, "what may go wrong", kSparse)
          .field("validation", &Mutation::validation, "how to tell", kSparse)
          .field("stage", &Mutation::stage, "how far it is")
          .field("variant", &Mutation::variant, "the skill as changed")
          .field("original_uses", &Mutation::original_uses, "with a known outcome", kSparse)
          .field("original_successes", &Mutation::original_successes, "of them", kSparse)
          .field("variant_uses", &Mutation::variant_uses, "with a known outcome", kSparse)
          .field("variant_successes", &Mutation::variant_successes, "of them", kSparse)
          .field("probability_better", &Mutation::probability_better,
                 "that the variant is better, as far as the uses tell", kShare)
          .field("seed", &Mutation::seed, "of the draw which one a task gets", kSparse)
          .field("decided", &Mutation::decided, "why it was kept, discarded or left open", kSparse)
          .field("gate", &Mutation::gate, "what past tasks say of it", kSparse)
          .field("created", &Mutation::created, "when", kSparse)
          .field("updated", &Mutation::updated, "when", kSparse);
  return made;
}

template <>
const Record<Belief>& record<Belief>() {
  static const auto made =
      Record<Belief>("Belief", "What is believed of a user's preference.", RecordUse::kBoth)
          .field("owner", &Belief::owner, "whose it is")
          .field("dimension", &Belief::dimension, "of what: detail, format, language, …", kRequired)
          .field("value", &Belief::value, "what is preferred", kRequired)
          .field("confidence", &Belief::confidence, "0 to 1", kShare)
          .field("evidence_count", &Belief::evidence_count, "signals that agree", kSparse)
          .field("contradictions", &Belief::contradictions, "signals that do not", kSparse)
          .field("last_updated", &Belief::last_updated, "when", kSparse)
          .field("alpha", &Belief::alpha, "of the posterior", kSparse)
          .field("beta", &Belief::beta, "of the posterior", kSparse)
          .field("needs_confirmation", &Belief::needs_confirmation, "it is to be asked", kSparse)
          .field("confirmed", &Belief::confirmed, "a person has said so, or it is over 0.9", kSparse)
          .field("sources", &Belief::sources, "SESSION/MESSAGE, the newest last", kSparse)
          .field("choices", &Belief::choices, "that agree and wait until there are enough of them to count", kSparse)
          .field("told", &Belief::told, "as prompts tell it", kSparse);
  return made;
}

template <>
const Record<Question>& record<Question>() {
  static const auto made = Record<Question>("Question", "What only a person can answer or do.", RecordUse::kBoth)
                               .field("id", &Question::id, "its own", kRequired)
                               .field("owner", &Question::owner, "who is asked")
                               .field("run", &Question::run, "that waits for it", kSparse)
                               .field("session", &Question::session, "of the run", kSparse)
                               .field("kind", &Question::kind, "what is wanted")
                               .field("urgency", &Question::urgency, "HIGH: now; MEDIUM: soon; LOW: with others")
                               .field("text", &Question::text, "as it is asked", kRequired)
                               .field("why", &Question::why, "what it is needed for", kSparse)
                               .field("choices", &Question::choices, "that are offered", kSparse)
                               .field("fallback", &Question::fallback, "what is done without an answer", kSparse)
                               .json("arguments", &Question::arguments, "of the call that is to be approved", kSparse,
                                     ValueObject{{"type", "object"}})
                               .field("about", &Question::about, "what the answer settles", kSparse)
                               .field("stage", &Question::stage, "how far it is")
                               .field("created", &Question::created, "when", kSparse)
                               .field("asked", &Question::asked, "when", kSparse)
                               .field("expires", &Question::expires, "when the fallback is taken", kSparse)
                               .field("answered", &Question::answered, "when", kSparse)
                               .field("answer", &Question::answer, "as it was given", kSparse);
  return made;
}

std::string_view to_string(SkillUse use) { return use == SkillUse::kFollow ? "follow" : "reference"; }

std::string_view to_string(SkillAction action) {
  switch (action) {
    case SkillAction::kApprove: return "approve";
    case SkillAction::kRetire: return "retire";
    case SkillAction::kPin: return "pin";
    case SkillAction::kUnpin: return "unpin";
    case SkillAction::kDisable: return "disable";
    case SkillAction::kEnable: return "enable";
    case SkillAction::kRollBack: return "rollback";
    case SkillAction::kRemove: return "remove";
  }
  return "retire";
}

namespace {}  // namespace

template <>
const Record<SkillMatch>& record<SkillMatch>() {
  static const auto made =
      Record<SkillMatch>("SkillMatch", "A skill that fits a task.", RecordUse::kTold)
          .field("use", &SkillMatch::use, "follow: from 0.8; reference: from 0.6")
          .field("likeness", &SkillMatch::likeness, "of the task and what the skill is for, 0 to 1")
          .field("skill", &SkillMatch::skill, "the skill");
  return made;
}

template <>
const Record<SkillChange>& record<SkillChange>() {
  static const auto made =
      Record<SkillChange>("SkillChange", "What a person does to a skill.", RecordUse::kAsked)
          .field("action", &SkillChange::action, "enable brings back what was retired, too", kRequired)
          .field("by", &SkillChange::by, "who", kSparse)
          .field("why", &SkillChange::why, "the reason, kept in its history", kSparse)
          .field("version", &SkillChange::version, "for rollback; 0: the last before this", kSparse);
  return made;
}

template <>
const Record<SkillLesson>& record<SkillLesson>() {
  static const auto made =
      Record<SkillLesson>("TeachSkill", "A procedure in a person's own words.", RecordUse::kAsked)
          .field("text", &SkillLesson::text, "a numbered or bulleted list, with what stands before it", kRequired)
          .field("name", &SkillLesson::name, "empty: the heading, or the first line", kSparse)
          .field("owner", &SkillLesson::owner, "empty: who teaches; workspace: everybody", kSparse);
  return made;
}

template <>
const Record<SkillFile>& record<SkillFile>() {
  static const auto made = Record<SkillFile>("SkillFile", "A file of a skill's folder.", RecordUse::kBoth)
                               .field("path", &SkillFile::path, "in the folder: SKILL.md, scripts/run.sh", kRequired)
                               .field("content", &SkillFile::content, "its text");
  return made;
}

template <>
const Record<SkillFolder>& record<SkillFolder>() {
  static const auto made =
      Record<SkillFolder>("SkillFolder", "An Agent Skill: a folder with SKILL.md.", RecordUse::kBoth)
          .field("name", &SkillFolder::name, "of the folder, the same as in SKILL.md", kRequired)
          .field("owner", &SkillFolder::owner, "on import; empty: who imports; workspace: everybody", kSparse)
          .field("files", &SkillFolder::files, "SKILL.md and what it refers to", kRequired)
          .field("left_out", &SkillFolder::left_out, "paths of files that are no text", kSparse);
  return made;
}

template <>
const Record<BusEvent>& record<BusEvent>() {
  static const auto made = Record<BusEvent>("BusEvent", "One event of the stream of a run.", RecordUse::kBoth)
                               .field("id", &BusEvent::id, "its number, from 1 without gaps")
                               .field("time", &BusEvent::time, "when it happened")
                               .field("type", &BusEvent::type, "what it is")
                               .json("payload", &BusEvent::payload, "what it says; by type");
  return made;
}

template <>
const Record<ReportStep>& record<ReportStep>() {
  static const auto made =
      Record<ReportStep>("ReportStep", "One step of a task.", RecordUse::kBoth)
          .field("number", &ReportStep::number, "from 1")
          .field("agent", &ReportStep::agent, "who took it", kSparse)
          .field("thought", &ReportStep::thought, "what the model said before", kSparse)
          .field("tool", &ReportStep::tool, "that was called; empty: the step is text alone", kSparse)
          .json("arguments", &ReportStep::arguments, "of the call", kSparse)
          .field("output", &ReportStep::output, "as the model saw it; the beginning of it where it is long", kSparse)
          .field("failed", &ReportStep::failed, "it did not work", kSparse)
          .field("ms", &ReportStep::ms, "how long it took", kSparse)
          .field("tokens", &ReportStep::tokens, "of the model for it", kSparse);
  return made;
}

template <>
const Record<TaskReport>& record<TaskReport>() {
  static const auto made =
      Record<TaskReport>("TaskReport", "What became of one task.", RecordUse::kBoth)
          .field("id", &TaskReport::id, "its own")
          .field("run", &TaskReport::run, "in which it was worked on", kSparse)
          .field("session", &TaskReport::session, "of the run", kSparse)
          .field("owner", &TaskReport::owner, "whose it is: user:ann, group:g")
          .field("task", &TaskReport::task, "as it was asked for")
          .field("type", &TaskReport::type, "such as coding", kSparse)
          .field("output", &TaskReport::output, "the final answer", kSparse)
          .field("outcome", &TaskReport::outcome, "how it ended")
          .field("outcome_by", &TaskReport::outcome_by, "who says so")
          .field("claim", &TaskReport::claim, "what the model says of it", kSparse)
          .field("reaction", &TaskReport::reaction, "what the user did with the result")
          .field("reaction_text", &TaskReport::reaction_text, "what the user said or changed", kSparse)
          .field("provenance", &TaskReport::provenance, "where it comes from")
          .field("started", &TaskReport::started, "when")
          .field("ended", &TaskReport::ended, "when")
          .field("tokens", &TaskReport::tokens, "of the models, in all", kSparse)
          .field("tool_calls", &TaskReport::tool_calls, "how many", kSparse)
          .field("limit", &TaskReport::limit, "that ended it", kSparse)
          .field("steps", &TaskReport::steps, "in order")
          .field("rules", &TaskReport::rules, "ids of those that stood in its prompts", kSparse)
          .field("skills", &TaskReport::skills, "ids of those that stood in its prompts", kSparse)
          .field("learn", &TaskReport::learn, "false: it is kept, and nothing is learnt from it");
  return made;
}

std::string_view to_string(BusEventType type) {
  switch (type) {
    case BusEventType::kUserMessage: return "USER_MESSAGE";
    case BusEventType::kToolResult: return "TOOL_RESULT";
    case BusEventType::kHumanResponse: return "HUMAN_RESPONSE";
    case BusEventType::kAgentOutput: return "AGENT_OUTPUT";
    case BusEventType::kRunStarted: return "RUN_STARTED";
    case BusEventType::kModelReply: return "MODEL_REPLY";
    case BusEventType::kToolIntent: return "TOOL_INTENT";
    case BusEventType::kHumanQuery: return "HUMAN_QUERY";
    case BusEventType::kSubAgentStarted: return "SUB_AGENT_STARTED";
    case BusEventType::kSubAgentEnded: return "SUB_AGENT_ENDED";
    case BusEventType::kLimitReached: return "LIMIT_REACHED";
    case BusEventType::kCompacted: return "COMPACTED";
    case BusEventType::kLesson: return "LESSON";
    case BusEventType::kInterrupted: return "INTERRUPTED";
    case BusEventType::kProgress: return "PROGRESS";
  }
  return "USER_MESSAGE";
}

std::string_view to_string(OutcomeClaim claim) {
  switch (claim) {
    case OutcomeClaim::kNone: return "none";
    case OutcomeClaim::kDone: return "done";
    case OutcomeClaim::kNotDone: return "not_done";
  }
  return {};
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnknown: return "unknown";
    case Outcome::kSuccess: return "success";
    case Outcome::kFailure: return "failure";
  }
  return "unknown";
}

std::string_view to_string(Witness witness) {
  switch (witness) {
    case Witness::kNobody: return "nobody";
    case Witness::kModel: return "model";
    case Witness::kUser: return "user";
    case Witness::kVerifier: return "verifier";
  }
  return "nobody";
}

std::string_view to_string(UserReaction reaction) {
  switch (reaction) {
    case UserReaction::kNone: return "none";
    case UserReaction::kSatisfied: return "satisfied";
    case UserReaction::kEdited: return "edited";
    case UserReaction::kAskedAgain: return "asked_again";
    case UserReaction::kComplained: return "complained";
  }
  return "none";
}

std::string_view to_string(Provenance provenance) {
  switch (provenance) {
    case Provenance::kOwnRun: return "own_run";
    case Provenance::kUser: return "user";
    case Provenance::kTool: return "tool";
    case Provenance::kWeb: return "web";
    case Provenance::kImported: return "imported";
  }
  return "own_run";
}

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::kLow: return "LOW";
    case Grade::kMedium: return "MEDIUM";
    case Grade::kHigh: return "HIGH";
  }
  return "LOW";
}

std::string_view to_string(ErrorCause cause) {
  switch (cause) {
    case ErrorCause::kMissingInformation: return "missing_information";
    case ErrorCause::kWrongStrategy: return "wrong_strategy";
    case ErrorCause::kToolMisuse: return "tool_misuse";
    case ErrorCause::kModelLimit: return "model_limit";
  }
  return "missing_information";
}

std::string_view to_string(ReflectionTrigger trigger) {
  switch (trigger) {
    case ReflectionTrigger::kTaskEnd: return "task_end";
    case ReflectionTrigger::kError: return "error";
    case ReflectionTrigger::kReview: return "review";
    case ReflectionTrigger::kFeedback: return "feedback";
  }
  return "task_end";
}

std::string_view to_string(LifeStage stage) {
  switch (stage) {
    case LifeStage::kCandidate: return "candidate";
    case LifeStage::kProbation: return "probation";
    case LifeStage::kActive: return "active";
    case LifeStage::kDeprecated: return "deprecated";
    case LifeStage::kRetired: return "retired";
    case LifeStage::kRefused: return "refused";
  }
  return "candidate";
}

std::string_view to_string(GateStage stage) {
  switch (stage) {
    case GateStage::kNone: return "none";
    case GateStage::kWaiting: return "waiting";
    case GateStage::kPassed: return "passed";
    case GateStage::kHeldBack: return "held_back";
    case GateStage::kNotReplayed: return "not_replayed";
  }
  return "none";
}

std::string_view to_string(RuleAction action) {
  switch (action) {
    case RuleAction::kApprove: return "approve";
    case RuleAction::kRefuse: return "refuse";
    case RuleAction::kRetire: return "retire";
    case RuleAction::kPin: return "pin";
    case RuleAction::kUnpin: return "unpin";
    case RuleAction::kDisable: return "disable";
    case RuleAction::kEnable: return "enable";
    case RuleAction::kRollBack: return "rollback";
    case RuleAction::kEdit: return "edit";
  }
  return "approve";
}

std::string_view to_string(SkillOrigin origin) {
  switch (origin) {
    case SkillOrigin::kReflection: return "reflection";
    case SkillOrigin::kEvolution: return "evolution";
    case SkillOrigin::kTaught: return "taught";
    case SkillOrigin::kImported: return "imported";
  }
  return "reflection";
}

std::string_view to_string(MutationType type) {
  switch (type) {
    case MutationType::kParameter: return "A";
    case MutationType::kOrder: return "B";
    case MutationType::kStep: return "C";
    case MutationType::kStrategy: return "D";
  }
  return "A";
}

std::string_view to_string(MutationStage stage) {
  switch (stage) {
    case MutationStage::kAwaitingApproval: return "awaiting_approval";
    case MutationStage::kTesting: return "testing";
    case MutationStage::kKept: return "kept";
    case MutationStage::kDiscarded: return "discarded";
    case MutationStage::kInconclusive: return "inconclusive";
  }
  return "awaiting_approval";
}

std::string_view to_string(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::kKnowledge: return "knowledge";
    case QuestionKind::kDecision: return "decision";
    case QuestionKind::kAction: return "action";
    case QuestionKind::kJudgement: return "judgement";
    case QuestionKind::kUnknownOutcome: return "unknown_outcome";
    case QuestionKind::kApproval: return "approval";
  }
  return "knowledge";
}

std::string_view to_string(QuestionStage stage) {
  switch (stage) {
    case QuestionStage::kQueued: return "queued";
    case QuestionStage::kAsked: return "asked";
    case QuestionStage::kAnswered: return "answered";
    case QuestionStage::kExpired: return "expired";
    case QuestionStage::kWithdrawn: return "withdrawn";
  }
  return "queued";
}

}  // namespace weft
