#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "agent/run_files.h"
#include "agent/run_state.h"
#include "weft/time.h"

namespace weft {

/// A new id of a run or a research, fit for a file's name: ten digits of the time and `chance` many by chance, so that
/// ids in order are jobs in the order of their beginning.
std::string new_job_id(Time now, std::size_t chance);

/// Whether this can be such an id, or one made of it, as those of sub-agents are.
bool is_job_id(const std::string& id);

struct EngineCore;

/// A run as its own scope sees it.
struct SeenRun {
  std::shared_ptr<Bus> bus;
  RunState state;
};

/// Writes the first two events of a run: its start, and its task as the user says it.
Status begin_run(Bus& bus, const RunStarted& start);

/// What is on disk of runs of agents: their streams, one file each, outputs that were kept whole, and which of them are
/// ending. Safe from any thread.
class RunStreams {
 public:
  explicit RunStreams(EngineCore& core);

  /// The stream of a run; one Bus a file, as long as anybody has it. kNotFound where there is none.
  Result<std::shared_ptr<Bus>> open(const std::string& run);
  /// The same, of a run that may be new.
  Result<std::shared_ptr<Bus>> open_or_make(const std::string& run);
  /// A run and what its stream says; kNotFound also where it is not of the request's scope.
  Result<SeenRun> look(const RequestContext& request, const std::string& run);
  /// The run itself, or of a sub-agent the run on whose thread it works.
  Result<std::string> root_of(const std::string& run);
  /// Ids of all runs, of sub-agents too, in no order.
  std::vector<std::string> all() const;
  /// Questions of a run and of its sub-agents that nobody has answered yet. Gives whether the run waits for one of
  /// them.
  bool open_questions(const RunState& state, std::vector<Question>& into);

  /// Puts these events in the place of a stream. Who holds its Bus still has what was there.
  Status rewrite(const std::string& run, std::span<const BusEvent> events);
  /// Removes outputs, marks and stream, the stream last, so that what is interrupted is found again by it.
  Status remove(const std::string& run);

  ResultStore& results() { return results_; }
  EndingMarks& endings() { return endings_; }

 private:
  std::filesystem::path path_of(const std::string& run) const;
  Result<std::shared_ptr<Bus>> bus_of(const std::string& run, bool make);

  EngineCore& core_;
  const std::filesystem::path folder_;
  ResultStore results_;
  EndingMarks endings_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Bus>> buses_;
};

}  // namespace weft
