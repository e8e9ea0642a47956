#pragma once

#include <span>
#include <string>
#include <vector>

#include "growth/report_builder.h"
#include "ports/store/kept_records.h"

namespace weft {

/// The kind of the documents that `PromptLessons` keeps.
inline constexpr const char* kPromptLessons = "prompt_lessons";

/// The rules and skills that one prompt contained, by id.
struct LessonsInPrompt {
  std::int64_t last_seq = 0;  ///< `MessageRow::seq` of the session's newest message when the prompt was made
  std::int64_t turn = 0;      ///< a digest of the user message that the prompt answers, and its place
  std::vector<std::string> rules, skills;

  bool empty() const { return rules.empty() && skills.empty(); }
};

/// The lessons in a session's prompts, oldest first, as far as no task report names them yet.
struct SessionLessons {
  std::vector<LessonsInPrompt> prompts;
};
WEFT_DESCRIBED(LessonsInPrompt);
WEFT_DESCRIBED(SessionLessons);

/// Keeps the rules and skills that the prompts of each session contained until a task report names them. Safe from any
/// thread.
class PromptLessons {
 public:
  static constexpr std::size_t kMostPrompts = 32;  ///< of a session; older ones are dropped

  /// `store` must outlive it.
  explicit PromptLessons(Store& store) : store_(store), sessions_(store, kPromptLessons) {}

  /// Keeps the lessons of a prompt made at `now`, once for each user message. The write waits for no flush of the disk.
  Status note(const ScopeKey& scope, const SessionId& session, const LessonsInPrompt& lessons, Time now);

  /// Adds to each of a session's tasks, which are in order, the rules and skills of the prompts between the last
  /// message of the task before and its own last message. The batch removes these prompts from the session.
  Status move_to_reports(const ScopeKey& scope, const SessionId& session, std::span<TaskInSession> tasks, Time now,
                         WriteBatch& batch) const;

 private:
  Store& store_;
  const KeptRecords<SessionLessons> sessions_;
};

}  // namespace weft
