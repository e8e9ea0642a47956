#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

namespace weft {

/// How far a quest is.
enum class QuestStatus {
  kLocked,     ///< waits for its prerequisites
  kAvailable,  ///< may be begun
  kActive,     ///< being worked on: stands in the prompt
  kCompleted,
  kFailed,
};

/// "locked", "available", "in_progress", "completed", "failed".
std::string_view to_string(QuestStatus status);
/// Those, and "active" for "in_progress".
std::optional<QuestStatus> parse_quest_status(std::string_view text);

/// A node of the graph of quests: something to be reached, and what has to be reached before.
struct Quest {
  std::string id;
  std::string title;
  std::string objective;
  QuestStatus status = QuestStatus::kLocked;
  std::string progress;                    ///< in words
  std::vector<std::string> prerequisites;  ///< ids of quests that have to be completed first
  std::vector<std::string> successors;  ///< ids of quests that wait for this one; kept in step with `prerequisites`
  std::vector<std::string> tags;
  std::string outcome;  ///< how it ended, in words
};

std::string to_json(const Quest& quest);

/// Reads one quest from JSON. "id" is needed; "name" is taken for "title", "description" for "objective", "requires"
/// and "depends_on" for "prerequisites", "unlocks" for "successors". A list may be one word. Unknown fields are errors
/// (kInvalidArgument), as a misspelt "prerequisites" would open a quest to everybody.
Result<Quest> parse_quest(std::string_view json);

}  // namespace weft
