#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "flow/memory/likeness.h"
#include "growth/growth_files.h"
#include "model/erased_messages.h"
#include "ports/chat/chat_model.h"
#include "ports/files/line_log.h"
#include "weft/growth.h"

namespace weft {

/// What reflection stands on. All must outlive the reflector; functions may be empty.
struct ReflectionPorts {
  FileSystem& files;
  GrowthFiles places;
  const Clock& clock;
  const Likeness& likeness;
  std::function<ChatModel*(const std::string& role)> model = {};  ///< of a role; null where there is none
  std::function<std::vector<Rule>(const std::string& owner, const std::string& task)> rules = {};  ///< followed now
  std::function<Status(const Reflection&)> sink = {};  ///< what evolution makes of it; it may take one twice
  std::chrono::milliseconds limit{60'000};             ///< for a model to answer
  /// The user has said how a task went: its report as it is then, once a report.
  std::function<Status(const TaskReport&)> judged = {};
};

/// Reflects on what an agent did: at the end of a task and for a review of a day the model of the role main or fast is
/// asked, at an error the fast one, at feedback of the user "user_model" or else the fast one; the floor stands where
/// there is none. Every report and every reflection is a line of its log, with LOW confidence, too; the sink is handed
/// each. Safe from any thread; models are asked without a lock.
class Reflector {
 public:
  explicit Reflector(ReflectionPorts with) : with_(std::move(with)) {}

  enum class Depth { kModel, kFloor };  ///< whether a model is asked where there is one

  /// Of a task that is over. Its report is kept. What is made is dated as the task, so that reports which are handed in
  /// together are not all of one day. A report of an id that was reflected on gives that reflection again.
  Result<Reflection> task_end(const TaskReport& report, Depth depth = Depth::kModel);
  /// Keeps the report of a task that nothing is made of. One of an id that is known changes nothing.
  Status keep(const TaskReport& report) { return keep_report(report); }
  /// Of a step that failed while the task runs: its suggestions belong into the running context at once.
  Result<Reflection> error(const TaskReport& so_far, const ReportStep& failed);
  /// Across the tasks of one owner's day. kInvalidArgument without any, or with those of several owners.
  Result<Reflection> review(std::span<const TaskReport> day, Depth depth = Depth::kModel);
  /// Of what the user said to a result; the report says so from then on. kInvalidArgument where that is no judgement,
  /// no edit and no repeated question.
  Result<Reflection> feedback(const TaskReport& report, const std::string& user_text, Depth depth = Depth::kModel);

  /// All of an owner, the oldest first.
  Result<std::vector<Reflection>> reflections(const std::string& owner);
  Result<std::vector<TaskReport>> reports(const std::string& owner);
  /// Whose tasks that are learnt from ended on a day, "YYYY-MM-DD", and were not reviewed yet.
  Result<std::vector<std::string>> unreviewed(const std::string& day);

  /// What goes with erased messages: reports of tasks that they are part of, and what was made of these reports.
  Result<ErasedLessons> lessons_of(const ErasedMessages& gone);
  /// Takes these reports and reflections out of the files.
  Status erase(const ErasedLessons& gone);

 private:
  struct Kept {
    std::unique_ptr<LineLog> reports, reflections;
    std::vector<TaskReport> all_reports;
    std::vector<Reflection> all_reflections;
  };

  Status open();
  Status keep_report(const TaskReport& report);
  Status keep_judged(const TaskReport& report);
  Result<Reflection> finish(Reflection made);
  Reflection ask(const std::string& role, std::span<const TaskReport> reports, std::int64_t failed_step,
                 const std::string& user_text, Reflection floor);

  ReflectionPorts with_;
  std::mutex mutex_;  ///< of what follows
  Kept kept_;
};

}  // namespace weft
