#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/threads.h"
#include "flow/memory/likeness.h"
#include "growth/report_builder.h"
#include "model/rows.h"
#include "ports/chat/chat_model.h"
#include "ports/files/file_system.h"
#include "ports/store/kept_records.h"
#include "weft/growth.h"

namespace weft {

/// What a model is shown beside the report.
struct ReflectionMaterial {
  std::span<const TaskReport> reports;  ///< one, or those of a day
  std::int64_t failed_step = 0;         ///< the step that is asked about; 0: the whole
  std::string user_text;                ///< what the user said to the result
  std::span<const Rule> rules;          ///< that the agent follows
};

/// Asks a model to reflect, beginning with what the floor has found. A bad answer is asked for once more with what was
/// wrong; then, and where the model fails, `floor` is given back with the reason in `failed`.
///
/// What the model says is bound by what it was shown: with outputs of tools in the trace confidence is MEDIUM at most
/// (HIGH only where a restriction was borne out by the floor and by a user or verifier), severity is not above the
/// floor's unless a person's own words are all there is, and a suggestion that says what a passage of a tool's output
/// says is LOW and makes the whole of that output's provenance.
Reflection reflect_by_model(ChatModel& model, const ReflectionMaterial& material, Reflection floor,
                            const Deadline& deadline);

/// Reads and checks an answer; `steps` is the highest number of a step. The error says what is wrong, in words that a
/// model can act on.
Result<Reflection> read_reflection(std::string_view answer, std::int64_t steps);

/// The passage of a tool's output that a suggestion repeats: its provenance; kOwnRun where there is none.
Provenance repeated_from(const Suggestion& suggestion, std::span<const TaskReport> reports);

/// What reflection stands on. All must outlive the reflector; functions may be empty.
struct ReflectionPorts {
  Store& store;
  const Clock& clock;
  const Likeness& likeness;
  std::function<ChatModel*(const std::string& role)> model = {};  ///< of a role; null where there is none
  std::function<std::vector<Rule>(const std::string& owner, const std::string& task)> rules = {};  ///< followed now
  std::function<Status(const Reflection&)> sink = {};  ///< what evolution makes of it; it may take one twice
  std::chrono::milliseconds limit{60'000};             ///< for a model to answer
  /// The user has said how a task went: its report as it is then. It comes again if something failed after it.
  std::function<Status(const TaskReport&)> judged = {};
};

/// How far the tasks of a session are reported.
struct ReportedTasks {
  std::string newest;         ///< the report of the last task; empty: it was erased, or none was made
  std::int64_t last_seq = 0;  ///< `MessageRow::seq` of the last message that needs no report any more
  bool next_seen = false;     ///< the report of the last task was made with the user's next message
};
WEFT_DESCRIBED(ReportedTasks);

/// Reflects on what an agent did. A model is asked: "main" at the end of a task, "fast" for the review of a day and at
/// an error, "user_model" or else "fast" at feedback of the user. Without a model the rules of the floor make the
/// reflection. Every report and every reflection is a row of the store, with LOW confidence, too. The sink gets each
/// reflection before it is kept, so that it is called again after a crash in between; the reflection of a task's end
/// and of feedback has the same id then. Safe from any thread; models are asked without a lock.
class Reflector {
 public:
  explicit Reflector(ReflectionPorts with)
      : with_(std::move(with)),
        reports_(with_.store, "report"),
        reflections_(with_.store, "reflection"),
        reported_(with_.store, "reported_tasks"),
        lessons_(with_.store) {}

  /// Takes the logs of reports and reflections that former versions wrote in this folder, and removes them.
  Status take_former_logs(FileSystem& files, const std::filesystem::path& folder);

  enum class Depth { kModel, kFloor };  ///< whether a model is asked where there is one

  /// Of a task that is over. Its report is kept. What is made is dated as the task, so that reports which are handed in
  /// together are not all of one day. A report of an id that was reflected on gives that reflection again.
  Result<Reflection> task_end(const TaskReport& report, Depth depth = Depth::kModel);
  /// The same of a report that is kept already, by `close_tasks`.
  Result<Reflection> reflect_on(const TaskReport& report, Depth depth);
  /// Keeps the report of a task that nothing is made of. One of an id that is known changes nothing.
  Status keep(const TaskReport& report);

  /// Adds to `batch` a report of each task in these messages of a session that used a tool and has no report yet, with
  /// the log entry kTaskClosed. `is_over`: the last task has ended, too. The reports name the rules and skills of
  /// their prompts.
  Status close_tasks(const ScopeKey& owner, const SessionId& session, std::span<const MessageRow> messages,
                     bool is_over, WriteBatch& batch);
  /// Adds to `batch` that a session's messages up to this one need no report.
  Status pass_over(const ScopeKey& owner, const SessionId& session, std::int64_t last_seq, WriteBatch& batch);
  /// Of a step that failed while the task runs: its suggestions belong into the running context at once.
  Result<Reflection> error(const TaskReport& so_far, const ReportStep& failed);
  /// Across the tasks of one owner's day. kInvalidArgument without any, or with those of several owners.
  Result<Reflection> review(std::span<const TaskReport> day, Depth depth = Depth::kModel);
  /// Of what the user said to a result; the report says so from then on. kInvalidArgument where that is no judgement,
  /// no edit and no repeated question.
  Result<Reflection> feedback(const TaskReport& report, const std::string& user_text, Depth depth = Depth::kModel);

  /// All of an owner, or the newest ones, the oldest first.
  Result<std::vector<Reflection>> reflections(const std::string& owner);
  Result<std::vector<TaskReport>> reports(const std::string& owner, std::size_t newest = KeptRecords<TaskReport>::kAll);
  Result<std::optional<TaskReport>> report(const std::string& owner, const std::string& id);
  /// How far a session is reported; all zero if it has no report.
  Result<ReportedTasks> reported(const ScopeKey& owner, const SessionId& session);
  /// Owners who have a task that ended on this day, "YYYY-MM-DD", is learnt from, and was not reviewed yet.
  Result<std::vector<std::string>> unreviewed(const std::string& day);

  /// What goes with erased messages: reports of tasks that they are part of, and what was made of these reports.
  Result<ErasedLessons> lessons_of(const ErasedMessages& gone);
  /// Takes these reports and reflections out.
  Status erase(const ErasedLessons& gone);

 private:
  enum class Closed { kNow, kLater };  ///< whether the log entry kTaskClosed is written with the report
  Status keep_report(const TaskReport& report, Closed closed);
  Status keep_judged(const TaskReport& report);
  /// `id`: empty for one that nothing identifies. `closes`: the task whose log entry kTaskClosed is written with
  /// the reflection; may be null.
  Result<Reflection> finish(Reflection made, const std::string& id = {}, const TaskReport* closes = nullptr);
  Result<Reflection> at_end(const TaskReport& report, Depth depth, const TaskReport* closes);
  Reflection ask(const std::string& role, std::span<const TaskReport> reports, std::int64_t failed_step,
                 const std::string& user_text, Reflection floor);

  ReflectionPorts with_;
  const KeptRecords<TaskReport> reports_;
  const KeptRecords<Reflection> reflections_;
  const KeptRecords<ReportedTasks> reported_;  ///< by session
  const PromptLessons lessons_;
  KeyLocks locks_;  ///< one for each owner, held by changes
};

}  // namespace weft
