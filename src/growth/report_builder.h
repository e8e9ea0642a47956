#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/rows.h"
#include "ports/store/kept_records.h"
#include "weft/agent.h"
#include "weft/message.h"

namespace weft {

/// Puts a task report together from what a transcript says, in the order in which it was said: each call of a tool is a
/// step, and each answer in words. Whether a call failed is told by the structure of its output.
class ReportBuilder {
 public:
  /// Whether all that is said is one task, or what is said to an answer begins the next one.
  enum class Tasks { kOne, kOneEachAnswer };

  explicit ReportBuilder(Tasks tasks = Tasks::kOne) : tasks_(tasks) {}

  /// The first is the task; what follows an answer is the user's reaction to it, and may begin the next task, which
  /// then has this id. Of one task what is said before anything was done belongs to it.
  void user(std::string_view text, Time time = {}, std::string_view id = {});
  /// What the model thinks or says before it acts; it stands with the next step.
  void thought(std::string_view text);
  void call(std::string id, std::string name, std::string_view arguments, Time time = {});
  /// The output of a call; of an id that is used again, of its newest call. What belongs to none is left out.
  void output(const std::string& id, std::string_view text, bool failed = false, Time time = {});
  /// The output of the newest call.
  void output_of_last(std::string_view text, bool failed = false, Time time = {});
  void answer(std::string_view text, Time time = {});
  /// Those of one reply of the model; they stand with the step that comes next.
  void tokens(std::int64_t tokens) { pending_tokens_ += tokens; }
  void outcome(Outcome outcome, Witness by);

  TaskReport& report() { return report_; }
  bool empty() const { return report_.task.empty() && report_.steps.empty(); }
  /// The report; the builder is empty then.
  TaskReport take();
  /// Tasks that a later one has ended, in order; they are the caller's from then on.
  std::vector<TaskReport> take_ended() { return std::exchange(ended_, {}); }

 private:
  ReportStep& add_step(Time time);
  void close(std::size_t step, std::string_view text, bool failed, Time time);
  void begin_next();
  void take_back_answer();

  Tasks tasks_;
  TaskReport report_;
  std::vector<TaskReport> ended_;
  std::string thought_;
  std::int64_t pending_tokens_ = 0;
  std::map<std::string, std::size_t> open_;  ///< newest call of an id → its step
  std::vector<Time> begun_;  ///< of the steps
};

/// A task in a session. A user's request begins it; the user's next message after an answer ends it.
struct TaskInSession {
  TaskReport report;  ///< without id, owner and session; `reaction_text` is the user's next message
  std::int64_t last_seq = 0;  ///< `MessageRow::seq` of its last message
};

/// The tasks in consecutive messages of one session, in order. `is_over`: the last one has ended, too; else it is left
/// out. Tasks that used no tool are included, those whose request is not among the messages are not.
std::vector<TaskInSession> tasks_in_session(std::span<const MessageRow> messages, bool is_over);

/// The kind of the documents that `PromptLessons` keeps.
inline constexpr const char* kPromptLessons = "prompt_lessons";

/// The rules and skills that one prompt contained, by id.
struct LessonsInPrompt {
  std::int64_t last_seq = 0;  ///< `MessageRow::seq` of the session's newest message when the prompt was made
  std::int64_t turn = 0;  ///< a digest of the user message that the prompt answers, and its place
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
