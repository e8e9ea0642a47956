#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "agent/loop.h"
#include "agent/run_state.h"
#include "agent/tool.h"

/// Playing a run that is over again without touching anything: calls of tools are answered from its record, those that
/// only read and are not in it are really made, and whatever else it would do ends it, since nobody knows what would
/// have come of that.
namespace weft {

/// A call that a run made, with what it gave.
struct RecordedCall {
  std::string key;  ///< tool and arguments, see `call_key`
  ToolAnswered answer;
  bool deed = false;  ///< it changed something and worked
};

/// A run that is over, up to its first answer.
struct RecordedRun {
  std::string run;
  RunStarted start;
  std::vector<RecordedCall> calls;  ///< in their order
  std::string output;
  Outcome outcome = Outcome::kUnknown;  ///< as a verifier, else the user says
  Witness by = Witness::kNobody;

  bool has_deeds() const;
};

/// The same for calls that say the same, in whatever order of members and with whatever blanks.
std::string call_key(const std::string& tool, const std::string& arguments);

/// Reads a run's stream. kInvalidArgument, in words for people, for one that cannot be played again: it did not end by
/// itself, a person took part in it, or it did not fit its window.
Result<RecordedRun> recorded_run(const std::string& run, std::span<const BusEvent> events);

/// What a replay has come to while it goes on. Safe from many threads.
class ReplayWatch {
 public:
  /// `stop` is called when the replay leaves the record, once.
  explicit ReplayWatch(std::function<void()> stop) : stop_(std::move(stop)) {}
  void stray(const std::string& why);
  bool strayed() const { return strayed_; }
  std::string why() const;

 private:
  std::function<void()> stop_;
  std::atomic<bool> strayed_ = false;
  mutable std::mutex mutex_;
  std::string why_;
};

/// The tools of a replay: the run's own as far as they are there, each answering from the record. `real` and `watch`
/// must outlive them; `record` as well. kInvalidArgument where one that it called is not there any more.
Result<ToolRegistry> replay_tools(const RecordedRun& record, const ToolRegistry& real, const Permissions& permissions,
                                  ReplayWatch& watch);

/// Prompts of a replay: what the agent is told, and what was said, without memory, which has gone on since.
class ReplayContext final : public AgentContext {
 public:
  Result<AgentPrompt> prompt(const RunState& state, const PromptWish& wish, const Deadline& deadline) override;
  Result<CompactedTo> compact(const RunState&, std::int64_t) override { return CompactedTo(); }
  Status finish(const RunState&) override { return {}; }
};

/// What a replay is told of what was learnt, once; nothing is learnt from it.
class ReplayHooks final : public LoopHooks {
 public:
  explicit ReplayHooks(LessonTold told) : told_(std::move(told)) {}
  LessonTold learnt(const RunState& state) override;

 private:
  LessonTold told_;
};

/// Nobody is asked: a question leaves the record.
class ReplayQuestions final : public RunQuestions {
 public:
  explicit ReplayQuestions(ReplayWatch& watch) : watch_(watch) {}
  Result<Question> ask(const Question& question) override;

 private:
  ReplayWatch& watch_;
};

/// How a replay that has ended went: the same deeds go as they went then; without any, a verifier says it of the
/// answer, and where the user said it, the same answer goes as it went then. What leaves out a deed of a success, or
/// reaches a limit, fails. kUnknown, with the reason in `why`, where nobody can tell.
Outcome judge_replay(const RecordedRun& record, const RunState& replayed, std::span<const BusEvent> events,
                     std::string& why);

}  // namespace weft
