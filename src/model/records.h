#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/record.h"
#include "weft/engine.h"
#include "weft/erasure.h"
#include "weft/result.h"
#include "weft/task.h"
#include "weft/watch.h"

namespace weft {

// The descriptions of the structs that leave the library as JSON or come into it: one each, for the HTTP API, the
// command, the tools of models and what is kept on disk. Names are snake_case, times RFC 3339 with their zone.
// The descriptions of what those see who look on; see model/records.h.

template <>
inline constexpr std::span<const ItemKind> kEnumValues<ItemKind>{kItemKinds};
inline constexpr std::array kVerdicts{Verdict::kStart, Verdict::kAdsorb, Verdict::kDrift, Verdict::kRelay,
                                      Verdict::kPending};
template <>
inline constexpr std::span<const Verdict> kEnumValues<Verdict>{kVerdicts};
inline constexpr std::array kFlushReasons{FlushReason::kDrift, FlushReason::kRelay, FlushReason::kIdle,
                                          FlushReason::kSave, FlushReason::kBranch};
template <>
inline constexpr std::span<const FlushReason> kEnumValues<FlushReason>{kFlushReasons};
inline constexpr std::array kRoles{Role::kSystem, Role::kUser, Role::kAssistant, Role::kTool};
template <>
inline constexpr std::span<const Role> kEnumValues<Role>{kRoles};
inline constexpr std::array kEntityTypes{EntityType::kUser, EntityType::kGroup};
template <>
inline constexpr std::span<const EntityType> kEnumValues<EntityType>{kEntityTypes};
inline constexpr std::array kQuestStatuses{QuestStatus::kLocked, QuestStatus::kAvailable, QuestStatus::kActive,
                                           QuestStatus::kCompleted, QuestStatus::kFailed};
template <>
inline constexpr std::span<const QuestStatus> kEnumValues<QuestStatus>{kQuestStatuses};

inline constexpr std::array kLoreLogics{LoreLogic::kAndAny, LoreLogic::kNotAll, LoreLogic::kNotAny, LoreLogic::kAndAll};
template <>
inline constexpr std::span<const LoreLogic> kEnumValues<LoreLogic>{kLoreLogics};

// The stream.
WEFT_DESCRIBED(ToolCall);
WEFT_DESCRIBED(Message);
WEFT_DESCRIBED(Reason);
WEFT_DESCRIBED(Decision);
WEFT_DESCRIBED(Observation);
WEFT_DESCRIBED(Flushed);
WEFT_DESCRIBED(ObserveReport);
WEFT_DESCRIBED(SyncReport);
WEFT_DESCRIBED(StoredMessage);

// Memory.
WEFT_DESCRIBED(EventDetails);
WEFT_DESCRIBED(Writing);
WEFT_DESCRIBED(Item);
WEFT_DESCRIBED(Signal);
WEFT_DESCRIBED(Hit);
WEFT_DESCRIBED(SearchResult);
WEFT_DESCRIBED(EventFilter);
WEFT_DESCRIBED(EndRequest);
WEFT_DESCRIBED(EndReport);
WEFT_DESCRIBED(Profile);
WEFT_DESCRIBED(ProfileVersion);
WEFT_DESCRIBED(ProfileSummary);

WEFT_DESCRIBED(KnowledgeEntry);
WEFT_DESCRIBED(KnowledgeFile);
WEFT_DESCRIBED(Day);

// Forgetting, and the care of a workspace.
WEFT_DESCRIBED(EraseRequest);
WEFT_DESCRIBED(EraseReceipt);
WEFT_DESCRIBED(EraseCheck);
WEFT_DESCRIBED(GroupTrace);
WEFT_DESCRIBED(JobInfo);
WEFT_DESCRIBED(UsageRow);
WEFT_DESCRIBED(Problem);
WEFT_DESCRIBED(QueueStatus);
WEFT_DESCRIBED(ReaderStatus);
WEFT_DESCRIBED(EngineStatus);
WEFT_DESCRIBED(BackupReport);
WEFT_DESCRIBED(RepairedEvent);
WEFT_DESCRIBED(RepairReport);

// Prompts and sessions.
WEFT_DESCRIBED(Preference);
WEFT_DESCRIBED(SessionTask);
WEFT_DESCRIBED(ErrorNote);
WEFT_DESCRIBED(ToolInfo);
WEFT_DESCRIBED(DomainWeight);
WEFT_DESCRIBED(SearchIntent);
WEFT_DESCRIBED(PlanContext);
WEFT_DESCRIBED(ReportItem);
WEFT_DESCRIBED(ReportSection);
WEFT_DESCRIBED(ContextReport);
WEFT_DESCRIBED(WovenContext);
WEFT_DESCRIBED(CompactRequest);
WEFT_DESCRIBED(Summary);
WEFT_DESCRIBED(Candidate);
WEFT_DESCRIBED(CompactionReport);
WEFT_DESCRIBED(Compaction);

// Stories.
WEFT_DESCRIBED(StateView);
WEFT_DESCRIBED(StateVersion);
WEFT_DESCRIBED(StateChange);
WEFT_DESCRIBED(Quest);
WEFT_DESCRIBED(LoreEntry);
WEFT_DESCRIBED(LoreReport);

inline constexpr std::array kBlockStatuses{BlockStatus::kOpen, BlockStatus::kSealed, BlockStatus::kInterrupted};
template <>
inline constexpr std::span<const BlockStatus> kEnumValues<BlockStatus>{kBlockStatuses};
template <>
inline constexpr std::span<const HappeningKind> kEnumValues<HappeningKind>{kHappeningKinds};

WEFT_DESCRIBED(SessionSummary);
WEFT_DESCRIBED(WatchedTurn);
WEFT_DESCRIBED(WatchedTopic);
WEFT_DESCRIBED(WatchedTurns);
WEFT_DESCRIBED(PastContext);
WEFT_DESCRIBED(Happening);

/// A receipt as JSON, as it is kept and as surfaces show it.
std::string to_json(const EraseReceipt& receipt);

/// Reads what it wrote. kCorrupt says what is wrong.
Result<EraseReceipt> parse_receipt(std::string_view json);

/// Writes a session's task: {"description", "type", "done", "current", "remaining", "warnings", "constraints",
/// "preferences", "since"}. What is empty is left out.
std::string to_json(const SessionTask& task);

/// Reads it, or a text alone, which is its description. Errors name the field and say what is wanted; a member that is
/// none of these is an error too. `place` names the value in errors. `since` is read as it stands.
Result<SessionTask> parse_session_task(std::string_view json, std::string_view place);

/// [{"text", "confidence", "task_types"}, …]
std::string to_json(const std::vector<Preference>& preferences);
Result<std::vector<Preference>> parse_preferences(std::string_view json, std::string_view place);

/// What is known of a task with what is newly given of it: a field that is given replaces what stood there, and another
/// description is another task.
TaskState merged(const TaskState& known, const TaskState& given);

}  // namespace weft
