#pragma once

#include <array>

#include "text/record.h"
#include "weft/growth.h"

/// The descriptions of what happens to an agent and of what it learns; see model/records.h.
/// The descriptions of what is done with skills; see model/records.h.
namespace weft {

inline constexpr std::array kBusEventTypes{
    BusEventType::kUserMessage,   BusEventType::kToolResult,   BusEventType::kHumanResponse,
    BusEventType::kAgentOutput,   BusEventType::kRunStarted,   BusEventType::kModelReply,
    BusEventType::kToolIntent,    BusEventType::kHumanQuery,   BusEventType::kSubAgentStarted,
    BusEventType::kSubAgentEnded, BusEventType::kLimitReached, BusEventType::kCompacted,
    BusEventType::kLesson,        BusEventType::kInterrupted,  BusEventType::kProgress};
template <>
inline constexpr std::span<const BusEventType> kEnumValues<BusEventType>{kBusEventTypes};
inline constexpr std::array kClaims{OutcomeClaim::kNone, OutcomeClaim::kDone, OutcomeClaim::kNotDone};
template <>
inline constexpr std::span<const OutcomeClaim> kEnumValues<OutcomeClaim>{kClaims};
template <>
inline constexpr std::optional<OutcomeClaim> kUnsaid<OutcomeClaim> = OutcomeClaim::kNone;
inline constexpr std::array kOutcomes{Outcome::kUnknown, Outcome::kSuccess, Outcome::kFailure};
template <>
inline constexpr std::span<const Outcome> kEnumValues<Outcome>{kOutcomes};
inline constexpr std::array kWitnesss{Witness::kNobody, Witness::kModel, Witness::kUser, Witness::kVerifier};
template <>
inline constexpr std::span<const Witness> kEnumValues<Witness>{kWitnesss};
inline constexpr std::array kUserReactions{UserReaction::kNone, UserReaction::kSatisfied, UserReaction::kEdited,
                                           UserReaction::kAskedAgain, UserReaction::kComplained};
template <>
inline constexpr std::span<const UserReaction> kEnumValues<UserReaction>{kUserReactions};
inline constexpr std::array kProvenances{Provenance::kOwnRun, Provenance::kUser, Provenance::kTool, Provenance::kWeb,
                                         Provenance::kImported};
template <>
inline constexpr std::span<const Provenance> kEnumValues<Provenance>{kProvenances};
inline constexpr std::array kGrades{Grade::kLow, Grade::kMedium, Grade::kHigh};
template <>
inline constexpr std::span<const Grade> kEnumValues<Grade>{kGrades};
inline constexpr std::array kErrorCauses{ErrorCause::kMissingInformation, ErrorCause::kWrongStrategy,
                                         ErrorCause::kToolMisuse, ErrorCause::kModelLimit};
template <>
inline constexpr std::span<const ErrorCause> kEnumValues<ErrorCause>{kErrorCauses};
inline constexpr std::array kReflectionTriggers{ReflectionTrigger::kTaskEnd, ReflectionTrigger::kError,
                                                ReflectionTrigger::kReview, ReflectionTrigger::kFeedback};
template <>
inline constexpr std::span<const ReflectionTrigger> kEnumValues<ReflectionTrigger>{kReflectionTriggers};
inline constexpr std::array kLifeStages{LifeStage::kCandidate,  LifeStage::kProbation, LifeStage::kActive,
                                        LifeStage::kDeprecated, LifeStage::kRetired,   LifeStage::kRefused};
template <>
inline constexpr std::span<const LifeStage> kEnumValues<LifeStage>{kLifeStages};
inline constexpr std::array kGateStages{GateStage::kNone, GateStage::kWaiting, GateStage::kPassed, GateStage::kHeldBack,
                                        GateStage::kNotReplayed};
template <>
inline constexpr std::span<const GateStage> kEnumValues<GateStage>{kGateStages};
template <>
inline constexpr std::optional<GateStage> kUnsaid<GateStage> = GateStage::kNone;
inline constexpr std::array kRuleActions{RuleAction::kApprove, RuleAction::kRefuse,   RuleAction::kRetire,
                                         RuleAction::kPin,     RuleAction::kUnpin,    RuleAction::kDisable,
                                         RuleAction::kEnable,  RuleAction::kRollBack, RuleAction::kEdit};
template <>
inline constexpr std::span<const RuleAction> kEnumValues<RuleAction>{kRuleActions};
inline constexpr std::array kSkillOrigins{SkillOrigin::kReflection, SkillOrigin::kEvolution, SkillOrigin::kTaught,
                                          SkillOrigin::kImported};
template <>
inline constexpr std::span<const SkillOrigin> kEnumValues<SkillOrigin>{kSkillOrigins};
inline constexpr std::array kMutationTypes{MutationType::kParameter, MutationType::kOrder, MutationType::kStep,
                                           MutationType::kStrategy};
template <>
inline constexpr std::span<const MutationType> kEnumValues<MutationType>{kMutationTypes};
inline constexpr std::array kMutationStages{MutationStage::kAwaitingApproval, MutationStage::kTesting,
                                            MutationStage::kKept, MutationStage::kDiscarded,
                                            MutationStage::kInconclusive};
template <>
inline constexpr std::span<const MutationStage> kEnumValues<MutationStage>{kMutationStages};
inline constexpr std::array kQuestionKinds{QuestionKind::kKnowledge,      QuestionKind::kDecision,
                                           QuestionKind::kAction,         QuestionKind::kJudgement,
                                           QuestionKind::kUnknownOutcome, QuestionKind::kApproval};
template <>
inline constexpr std::span<const QuestionKind> kEnumValues<QuestionKind>{kQuestionKinds};
inline constexpr std::array kQuestionStages{QuestionStage::kQueued, QuestionStage::kAsked, QuestionStage::kAnswered,
                                            QuestionStage::kExpired, QuestionStage::kWithdrawn};
template <>
inline constexpr std::span<const QuestionStage> kEnumValues<QuestionStage>{kQuestionStages};
WEFT_DESCRIBED(BusEvent);
WEFT_DESCRIBED(ReportStep);
WEFT_DESCRIBED(TaskReport);
WEFT_DESCRIBED(Diagnosis);
WEFT_DESCRIBED(Suggestion);
WEFT_DESCRIBED(Reflection);
WEFT_DESCRIBED(UseCount);
WEFT_DESCRIBED(OldVersion);
WEFT_DESCRIBED(PromotionGate);
WEFT_DESCRIBED(RuleEvidence);
WEFT_DESCRIBED(Rule);
WEFT_DESCRIBED(RuleChange);
WEFT_DESCRIBED(SkillStep);
WEFT_DESCRIBED(Skill);
WEFT_DESCRIBED(Mutation);
WEFT_DESCRIBED(Belief);
WEFT_DESCRIBED(Question);

inline constexpr std::array kSkillUses{SkillUse::kFollow, SkillUse::kReference};
template <>
inline constexpr std::span<const SkillUse> kEnumValues<SkillUse>{kSkillUses};
inline constexpr std::array kSkillActions{SkillAction::kApprove,  SkillAction::kRetire,  SkillAction::kPin,
                                          SkillAction::kUnpin,    SkillAction::kDisable, SkillAction::kEnable,
                                          SkillAction::kRollBack, SkillAction::kRemove};
template <>
inline constexpr std::span<const SkillAction> kEnumValues<SkillAction>{kSkillActions};
WEFT_DESCRIBED(SkillMatch);
WEFT_DESCRIBED(SkillChange);
WEFT_DESCRIBED(SkillLesson);
WEFT_DESCRIBED(SkillFile);
WEFT_DESCRIBED(SkillFolder);

}  // namespace weft
