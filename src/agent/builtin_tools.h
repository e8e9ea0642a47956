#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/run_files.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "base/clock.h"
#include "weft/result.h"

namespace weft {

/// A program that is run once.
struct ProcessCall {
  std::vector<std::string> command;  ///< program and arguments, without a shell
  std::filesystem::path folder;      ///< where it starts; must be there
  std::vector<std::pair<std::string, std::string>>
      environment;  ///< beside PATH, HOME, LANG, TMPDIR and TZ: nothing else
  std::string input;
  std::size_t most_bytes = 1 << 20;  ///< of its output; what comes beyond is read and dropped
  Deadline deadline;
};

struct ProcessEnd {
  std::string output;  ///< of both its streams, as it came
  int code = 0;        ///< 128 and the signal's number where one ended it
  std::size_t dropped = 0;
};

/// Runs a program in a process group of its own and waits for it; the group is killed when it ends or the deadline
/// passes. kTimeout and kCancelled then, kNotFound for a program that cannot be started.
Result<ProcessEnd> run_process(const ProcessCall& call);

/// A folder whose files an agent reads and writes. No path leads out of it: not by "..", not by being absolute, not
/// through a symbolic link at any place. Safe from many threads.
class WorkFolder {
 public:
  /// The folder is made where it is not there.
  static Result<WorkFolder> open(const std::filesystem::path& folder);

  struct Entry {
    std::string path;  ///< below the folder
    bool folder = false;
    std::uintmax_t bytes = 0;
  };

  Result<std::string> read(const std::string& path, std::size_t most_bytes) const;
  /// Puts the content in the place of the file; readers see the old or the new one.
  Status write(const std::string& path, std::string_view content) const;
  /// Takes a file away; success also where there is none.
  Status remove(const std::string& path) const;
  /// What stands in a folder, by name; `deep`: in those below, too. At most `most` entries.
  Result<std::vector<Entry>> list(const std::string& path, bool deep, std::size_t most) const;
  const std::filesystem::path& path() const { return root_; }

 private:
  explicit WorkFolder(std::filesystem::path root) : root_(std::move(root)) {}
  Result<std::filesystem::path> inside(const std::string& path) const;
  std::filesystem::path root_;
};

// Tools that every agent can have and that need nothing but files and programs. Those of memory and state are the
// engine's.

/// file_read, file_write, file_list: below this folder.
std::vector<std::shared_ptr<Tool>> file_tools(std::shared_ptr<const WorkFolder> folder);

/// shell_run: a command line for /bin/sh in the work folder, with a cleaned environment.
std::shared_ptr<Tool> shell_tool(std::shared_ptr<const WorkFolder> folder, std::chrono::milliseconds most);

/// A program as a tool. kInvalidArgument for a schema that is none.
Result<std::shared_ptr<Tool>> command_tool(const AgentCommand& command, const std::filesystem::path& folder,
                                           std::chrono::milliseconds most);

/// The program of a run that is no tool of the model's: the loop calls it at the end, and it says how the task went.
inline constexpr std::string_view kVerify = "verify";

/// A program that gets {"task", "answer"} as JSON on standard input. Its outcome has failed where the exit code is not
/// 0. What gives no verdict is an error: kTimeout, kUnavailable where it cannot be run, kInvalidArgument without one.
Result<std::shared_ptr<Tool>> verify_tool(const AgentCommand& command, const std::filesystem::path& folder,
                                          std::chrono::milliseconds most);

/// human_ask: its calls are the loop's own.
std::shared_ptr<Tool> human_tool();

/// result_read: a part of an output that was cut.
std::shared_ptr<Tool> result_tool(ResultStore& results);

/// task_progress; `tell` writes it into the stream of the run.
std::shared_ptr<Tool> progress_tool(std::function<Status(const ProgressTold&)> tell);

}  // namespace weft
