// The stable names of what happens to an agent and of what it learns, as they stand in files and in JSON.
#include "weft/growth.h"

namespace weft {

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
