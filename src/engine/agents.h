#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "agent/bus.h"
#include "agent/call_threads.h"
#include "agent/ending_marks.h"
#include "agent/loop.h"
#include "agent/loop_hooks.h"
#include "agent/results.h"
#include "agent/tool.h"
#include "engine/prompt_use.h"
#include "engine/question_desk.h"
#include "engine/services.h"
#include "model/erased_messages.h"

namespace weft {

struct EngineCore;

/// One of the two ways in which a run is played again.
struct ReplayArm {
  std::filesystem::path folder;  ///< in which its stream NAME.jsonl lies, so that it goes on after a kill
  std::string name;
  LessonTold told;                                           ///< what was learnt, as the run is told of it
  std::function<ChatModel*(const std::string& role)> model;  ///< counted where learning is counted
};

/// How a run that was played again went; kUnknown: nobody can tell, and why.
struct ReplayedRun {
  Outcome outcome = Outcome::kUnknown;
  std::string why = {};
};

/// Runs of agents: starts their loops on threads of their own, and reads and writes their streams. Safe from any
/// thread.
class Agents final : public AgentService {
 public:
  /// Adds tools to the registry of a run that begins or goes on.
  using ToolSource = std::function<Status(const RequestContext& request, const RunState& state, ToolRegistry& into)>;

  Agents(EngineCore& core, const Services& services);
  ~Agents() override;  ///< as `stop_all`
  /// Stops all runs; they can be resumed. Those whose answer stands do what follows from it before this returns.
  void stop_all();

  /// The one place where further tools and what learns from runs are plugged in: while the engine opens, before any
  /// run.
  void add_tools(ToolSource source) { sources_.push_back(std::move(source)); }
  void set_hooks(LoopHooks& hooks) { hooks_ = &hooks; }
  void set_desk(QuestionDesk& desk) { desk_ = &desk; }
  /// Told of what a person says to a run that had ended: it may be what they think of its result.
  void when_told_after_end(
      std::function<void(const RequestContext&, const std::string& run, const std::string& text)> told) {
    told_after_end_ = std::move(told);
  }
  void set_weaver(WeavePrompt weave) { weave_ = std::move(weave); }

  /// An answer to a question of a run, or its fallback, on the run's stream. With an answer a run that is not at work
  /// goes on, also one that had ended and left the question open.
  Status take_answer(const Question& question, const Answered& answer);
  /// Something to be told to a run while it works; nothing where it does not any more.
  void tell_lesson(const std::string& run, const LessonTold& lesson);
  /// Plays the run of a report again, on this thread, without touching anything, see `agent/replay.h`. What has ended
  /// is only judged again. kInvalidArgument or kNotFound where it cannot be played, kUnavailable where the model does
  /// not answer, kCancelled after a stop: then it goes on another time.
  Result<ReplayedRun> replay(const RequestContext& request, const TaskReport& report, const ReplayArm& arm,
                             LoopStop& stop);
  /// Whether a kill left runs whose answer stands and from which nothing has followed yet.
  bool has_left_endings() const { return !endings_.all().empty(); }
  /// Does what follows from them, on this thread.
  void close_left(std::stop_token stop);
  /// The tools that a run of no particular task has: the registry.
  std::vector<ToolInfo> registry();

  /// Runs that an erasure may concern stand still until `let_go`, and none of the scope begins. kTimeout where one does
  /// not stop; `let_go` all the same.
  Status hold(const ScopeKey& scope, const EraseRequest& what);
  void let_go(const ScopeKey& scope);
  /// Takes the words of erased messages out of streams, kept outputs and files that runs wrote; whole runs where
  /// nothing of them is left. Between `hold` and `let_go`.
  Status erase(const ErasedMessages& gone);
  /// Ids of the questions that runs asked of erased messages; the same before and after they were taken out.
  std::set<std::string> questions_of(const ErasedMessages& gone);

  // As `AgentService` says.
  Result<AgentRun> start(const RequestContext& request, const AgentTask& task) override;
  Result<AgentRun> resume(const RequestContext& request, const std::string& run) override;
  Result<AgentRun> interrupt(const RequestContext& request, const std::string& run, const std::string& why) override;
  Result<AgentRun> say(const RequestContext& request, const std::string& run, const std::string& text) override;
  Result<AgentRun> answer(const RequestContext& request, const std::string& run, const AgentAnswer& answer) override;
  Result<AgentRun> fork(const RequestContext& request, const std::string& run, std::uint64_t at) override;
  Result<AgentRun> show(const RequestContext& request, const std::string& run) override;
  Result<std::vector<AgentRun>> list(const RequestContext& request, std::size_t limit) override;
  Result<std::vector<BusEvent>> events(const RequestContext& request, const std::string& run, std::uint64_t since,
                                       std::chrono::milliseconds wait) override;

 private:
  /// A run that is at work.
  struct Active {
    LoopStop stop;
    std::jthread thread;  ///< none for sub-agents, which work on the thread of their call
    std::atomic<bool> done = false;
  };

  /// A run as its own scope sees it.
  struct Seen {
    std::shared_ptr<Bus> bus;
    RunState state;
  };

  std::filesystem::path path_of(const std::string& run) const;
  Result<std::shared_ptr<Bus>> bus_of(const std::string& run, bool make);
  Result<Seen> look(const RequestContext& request, const std::string& run);
  Result<AgentRun> told(const Seen& seen);
  /// Gives whether the run waits for one of them.
  bool add_questions(const RunState& state, std::vector<Question>& into);
  bool at_work(const std::string& run);
  void await_ending(const std::string& run) const;

  Result<std::string> root_of(const std::string& run);
  std::vector<std::string> all_runs() const;
  using Origins = std::map<std::string, std::vector<std::string>>;  ///< of forks: runs whose words they begin with
  Origins origins();
  Result<std::vector<BusEvent>> events_of(const std::string& run, const std::string& owner);
  Status erase_in_run(const std::string& run, const std::vector<BusEvent>& events,
                      const std::vector<std::string>& origins, const ErasedMessages& gone);
  Status remove_run(const std::string& run, const std::vector<BusEvent>& events, const ErasedMessages& gone);
  Status remove_files(const std::vector<std::pair<std::string, std::string>>& written, const ErasedMessages& gone);

  Result<std::shared_ptr<Active>> take(const std::string& run, const ScopeKey& scope);
  Status launch(const RequestContext& request, const Seen& seen);
  Result<LoopEnd> work(const RequestContext& request, const std::string& run, Bus& bus, LoopStop& stop);
  Status begin(Bus& bus, RunStarted start);
  AgentLimits limits_of(const AgentLimits& asked) const;
  LoopSettings loop_settings() const;
  Result<std::string> role_of(const AgentTask& task) const;

  Result<ToolRegistry> tools_of(const RequestContext& request, const RunState& state, Bus* bus);
  Result<ToolOutcome> spawn(const RequestContext& request, const RunState& parent, Bus& bus, const ToolRequest& call);
  std::filesystem::path work_folder() const;

  EngineCore& core_;
  const Services& services_;
  ResultStore results_;
  EndingMarks endings_;
  LoopHooks no_hooks_;
  LoopHooks* hooks_ = &no_hooks_;
  QuestionDesk* desk_ = nullptr;
  WeavePrompt weave_;
  std::function<void(const RequestContext&, const std::string& run, const std::string& text)> told_after_end_;
  std::vector<ToolSource> sources_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Bus>> buses_;
  std::map<std::string, std::shared_ptr<Active>> active_;
  std::map<ScopeKey, std::vector<std::string>> held_;  ///< by scope: runs that were at work
  CallThreads threads_;
};

}  // namespace weft
