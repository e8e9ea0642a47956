#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/results.h"
#include "agent/run_events.h"
#include "agent/tool.h"
#include "agent/work_folder.h"

/// Tools that every agent can have and that need nothing but files and programs. Those of memory and state are the
/// engine's.
namespace weft {

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
