#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agent/run_state.h"
#include "base/threads.h"
#include "engine/learning_budget.h"
#include "engine/log_readers.h"
#include "engine/serving.h"
#include "growth/reflector.h"
#include "model/rows.h"
#include "weft/facets/hindsight.h"
#include "weft/growth.h"

namespace weft {

class ActiveRuns;
class Rules;
class RunStreams;
class Skills;
struct EngineCore;

/// Looking back at what agents did. As a reader of the log it makes the reports of a session's tasks when a topic
/// closes or a client ends a turn, and reflects on every task that is over, whoever ran it. It also reflects by
/// command, and once a day across the tasks of that day. Safe from any thread.
class Reflections final : public LogReader {
 public:
  /// Lessons become `rules`; procedures that keep succeeding become `skills`. `runs` that are still at work hear of a
  /// lesson at once.
  Reflections(EngineCore& core, Rules& rules, Skills& skills, RunStreams& runs, ActiveRuns& active);
  /// Takes over what former versions kept.
  Status open();

  // As the facet `Hindsight` says.
  Result<Reflection> reflect(const RequestContext& request, const TaskReport& report);
  Result<ImportedRuns> import_runs(const RequestContext& request, const std::string& text, const std::string& file,
                                   bool learn);
  Result<Reflection> review(const RequestContext& request, const std::string& day);
  Result<Reflection> feedback(const RequestContext& request, const std::string& report, const std::string& text);
  Result<std::vector<Reflection>> reflections(const RequestContext& request);
  Result<std::vector<TaskReport>> reports(const RequestContext& request);

  // As `LogReader` says. A task is reflected on once.
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override;
  std::size_t share(std::span<const LogEntry> entries) const override;
  bool waits_for_models() const override { return true; }

  /// Reflects on steps of runs that failed, and on a day that is over. Gives when to look again.
  std::optional<std::chrono::milliseconds> work(std::stop_token stop);

  /// Counts the outcome of a task for the rules and skills of its prompts, and makes a skill of what keeps succeeding.
  /// Once a report, and once more when its outcome becomes known.
  Status count(const TaskReport& report);
  /// A run has ended: looked back at without a model, so that it does not wait; one without learning is only kept.
  Status run_ended(const TaskReport& report);
  /// A person said something to a run that had ended. Where it is a judgement, its report says so from then on, and
  /// what the run was told of is counted with it; else nothing happens. No model is asked.
  void said_after_end(const RequestContext& request, const std::string& run, const std::string& text);
  /// A step of a run failed, and it was told what the floor says of it. Where there is a quick model, that looks at it
  /// in the background, and what it says comes behind.
  void step_failed(const TaskReport& so_far, const ReportStep& failed);

  /// What models may be asked for the sake of learning.
  LearningBudget& budget() { return budget_; }

  /// What goes with erased messages, and taking it out. Nothing is learnt of a scope from what was read before.
  Result<ErasedLessons> lessons_of(const ErasedMessages& gone);
  Status erase(const ErasedLessons& gone);

 private:
  struct FailedStep {
    TaskReport so_far;
    ReportStep failed;
  };
  Status close_judged(const LogPart& part, WriteBatch& batch);
  Status close_turn(const ScopeKey& scope, const SessionId& session, WriteBatch& batch);
  Status close_topic(const ScopeKey& scope, const SessionId& session, const TopicId& topic, WriteBatch& batch);
  Status close_tasks(const ScopeKey& scope, const SessionId& session, std::vector<MessageRow> messages, bool is_over,
                     WriteBatch& batch);
  Result<std::vector<MessageRow>> messages_until(const ScopeKey& scope, const SessionId& session, std::int64_t last,
                                                 std::size_t most);
  Status take_feedback_on(const TaskReport& report, const std::string& text);
  Status learn_from(const ScopeKey& scope, const std::string& report);
  void reflect_on(const FailedStep& step);
  void tell(const std::string& run, const LessonTold& lesson);
  ReflectionPorts ports();
  Status review_yesterday(std::stop_token stop);
  Reflector::Depth depth_of_turn();
  std::vector<TaskReport> of_day(const std::vector<TaskReport>& all, const std::string& day) const;

  const std::string name_ = "reflection";
  EngineCore& core_;
  Rules& rules_;
  Skills& skills_;
  RunStreams& runs_;
  ActiveRuns& active_;
  RunLearning learning_;
  ServingLikeness likeness_;
  LearningBudget budget_;
  Reflector reflector_;  ///< asks models
  Sync<std::deque<FailedStep>> failed_;
  std::string reviewed_on_;  ///< of the thread that works
  std::int64_t unreported_before_ = 0;  ///< messages up to this number get no report; set by `open`
};

}  // namespace weft
