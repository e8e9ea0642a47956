// Programs as tools: the shell, and commands that a person gave to a run.
#include <algorithm>

#include "agent/builtin_tools.h"
#include "agent/function_tool.h"
#include "agent/process.h"
#include "agent/run_state.h"
#include "text/schema_check.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;
// Behind a program's own time-out, so that the tool answers before its caller gives it up.
constexpr std::chrono::milliseconds kMargin{200};

struct ShellArguments {
  std::string command;
  std::int64_t seconds = 0;
};

}  // namespace

WEFT_DESCRIBED(ShellArguments);

template <>
const Record<ShellArguments>& record<ShellArguments>() {
  static const auto made = Record<ShellArguments>("ShellArguments", "", RecordUse::kAsked)
                               .field("command", &ShellArguments::command, "a command line", {.required = true})
                               .field("seconds", &ShellArguments::seconds, "it may take", {.least = 0});
  return made;
}

namespace {

std::chrono::milliseconds time_for(const ToolRequest& request, std::int64_t seconds, std::chrono::milliseconds most) {
  if (seconds > 0) most = std::min(most, std::chrono::milliseconds(seconds * 1000));
  const auto left = request.deadline.left(most + kMargin) - kMargin;
  return std::max(std::chrono::milliseconds(1), std::min(most, left));
}

Result<ToolOutcome> outcome_of(const ProcessCall& call) {
  auto end = run_process(call);
  // Too slow is something that the model can do something about.
  if (!end.ok() && end.error().code == ErrorCode::kTimeout) return ToolOutcome{end.error().message, true};
  if (!end.ok()) return end.error();
  ToolOutcome outcome{std::move(end->output), end->code != 0};
  if (end->dropped > 0) outcome.output += "\n[" + std::to_string(end->dropped) + " further bytes were dropped]";
  if (end->code != 0) outcome.output += "\n[exit code " + std::to_string(end->code) + "]";
  return outcome;
}

}  // namespace

std::shared_ptr<Tool> shell_tool(std::shared_ptr<const WorkFolder> folder, std::chrono::milliseconds most) {
  return make_tool({"shell_run", "Runs a command line with /bin/sh in the work folder and gives its output.",
                    ToolParameters()
                        .text("command", "the command line")
                        .integer("seconds", "it may take, fewer than usual")
                        .optional()},
                   ToolEffects::kSome, [folder, most](const ToolRequest& request) -> Result<ToolOutcome> {
                     WEFT_TRY(const auto what, parse_record<ShellArguments>(request.arguments, "the arguments"));
                     ProcessCall call;
                     call.command = {"/bin/sh", "-c", what.command};
                     call.folder = folder->path();
                     call.most_bytes = kMostBytes;
                     call.deadline = request.deadline.within(time_for(request, what.seconds, most));
                     return outcome_of(call);
                   });
}

Result<std::shared_ptr<Tool>> verify_tool(const AgentCommand& command, const std::filesystem::path& folder,
                                          std::chrono::milliseconds most) {
  constexpr int kNotExecutable = 126, kNotFound = 127;  // of shells
  if (command.command.empty()) return invalid_argument(std::string(kVerify) + " names no program");
  return make_tool({std::string(kVerify), command.description, {}}, ToolEffects::kNone,
                   [command, folder, most](const ToolRequest& request) -> Result<ToolOutcome> {
                     ProcessCall call;
                     call.command = command.command;
                     call.folder = folder;
                     call.environment = {{"WEFT_RUN", request.run}, {"WEFT_TOOL_KEY", request.key}};
                     call.input = request.arguments;
                     call.most_bytes = kMostBytes;
                     call.deadline = request.deadline.within(time_for(request, command.seconds, most));
                     WEFT_TRY(ProcessEnd end, run_process(call));
                     if (end.code == kNotExecutable || end.code == kNotFound)
                       return unavailable("the verifier cannot be run: " + end.output);
                     return ToolOutcome{std::move(end.output), end.code != 0};
                   });
}

Result<std::shared_ptr<Tool>> command_tool(const AgentCommand& command, const std::filesystem::path& folder,
                                           std::chrono::milliseconds most) {
  if (command.command.empty()) return invalid_argument("the tool " + command.name + " names no program");
  if (!command.parameters.empty()) {
    const auto schema = SchemaCheck::compile(command.parameters, "arguments");
    if (!schema.ok()) return invalid_argument("the tool " + command.name + ": " + schema.error().message);
  }
  return make_tool({command.name, command.description, command.parameters}, effects_of(command.effects),
                   [command, folder, most](const ToolRequest& request) {
                     ProcessCall call;
                     call.command = command.command;
                     call.folder = folder;
                     call.environment = {{"WEFT_RUN", request.run}, {"WEFT_CALL", request.call}};
                     if (!request.key.empty()) call.environment.emplace_back("WEFT_TOOL_KEY", request.key);
                     call.input = request.arguments;
                     call.most_bytes = kMostBytes;
                     call.deadline = request.deadline.within(time_for(request, command.seconds, most));
                     return outcome_of(call);
                   });
}

}  // namespace weft
