// Files below the work folder.
#include "agent/builtin_tools.h"

#include <algorithm>

#include "agent/process.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "agent/wait_words.h"
#include "base/strings.h"
#include "text/schema_check.h"
#include "text/utf8.h"
#include "weft/tool_parameters.h"

namespace weft {
namespace {

constexpr std::size_t kMostBytes = 8 << 20, kMostEntries = 2000;  // of a file, and of a folder

struct FileArguments {
  std::string path, content;
  bool deep = false;
};

constexpr std::size_t kMostOutput = 4 << 20;  // bytes
// Behind a program's own time-out, so that the tool answers before its caller gives it up.
constexpr std::chrono::milliseconds kMargin{200};

struct ShellArguments {
  std::string command;
  std::int64_t seconds = 0;
};

constexpr std::int64_t kLines = 100, kMostMatches = 50;
constexpr std::size_t kPartBytes = 6000, kLineBytes = 400;

struct ResultPart {
  std::string handle, find;
  std::int64_t from_line = 1, lines = kLines;
};

}  // namespace

WEFT_DESCRIBED(FileArguments);

template <>
const Record<FileArguments>& record<FileArguments>() {
  static const auto made = Record<FileArguments>("FileArguments", "", RecordUse::kAsked)
                               .field("path", &FileArguments::path, "below the work folder")
                               .field("content", &FileArguments::content, "the whole text")
                               .field("deep", &FileArguments::deep, "folders below it, too");
  return made;
}

namespace {

Result<FileArguments> arguments_of(const ToolRequest& request) {
  return parse_record<FileArguments>(request.arguments, "the arguments");
}

// What goes wrong with a file is told to the model; the tool itself works.
ToolOutcome told(const Error& error) { return {error.message + (error.hint.empty() ? "" : ". " + error.hint), true}; }

Result<ToolOutcome> list_files(const WorkFolder& folder, const ToolRequest& request) {
  WEFT_TRY(const FileArguments what, arguments_of(request));
  const auto entries = folder.list(what.path, what.deep, kMostEntries);
  if (!entries.ok()) return told(entries.error());
  std::string text;
  for (const auto& one : *entries)
    text += one.path + (one.folder ? "/" : "\t" + std::to_string(one.bytes) + " bytes") + "\n";
  if (entries->size() == kMostEntries) text += "[there are more]\n";
  return ToolOutcome{text.empty() ? "[the folder is empty]" : text};
}

}  // namespace

std::vector<std::shared_ptr<Tool>> file_tools(std::shared_ptr<const WorkFolder> folder) {
  return {
      make_tool({"file_read", "Reads a text file of the work folder.",
                 ToolParameters().text("path", "of the file, below the work folder")},
                ToolEffects::kNone,
                [folder](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const FileArguments what, arguments_of(request));
                  auto text = folder->read(what.path, kMostBytes);
                  return text.ok() ? ToolOutcome{std::move(text).value()} : told(text.error());
                }),
      // The same file with the same content: to write it twice is to write it once.
      make_tool({"file_write", "Writes a text file of the work folder, in the place of what stood there.",
                 ToolParameters()
                     .text("path", "of the file, below the work folder; folders are made")
                     .text("content", "the whole text")},
                ToolEffects::kKeyed,
                [folder](const ToolRequest& request) -> Result<ToolOutcome> {
                  WEFT_TRY(const FileArguments what, arguments_of(request));
                  const Status written = folder->write(what.path, what.content);
                  if (!written.ok()) return told(written.error());
                  return ToolOutcome{"written: " + std::to_string(what.content.size()) + " bytes"};
                }),
      make_tool({"file_list", "Lists the files of the work folder.",
                 ToolParameters()
                     .text("path", "of a folder below it; empty: the work folder")
                     .optional()
                     .flag("deep", "folders below it, too")
                     .optional()},
                ToolEffects::kNone, [folder](const ToolRequest& request) { return list_files(*folder, request); }),
  };
}

// Programs as tools: the shell, and commands that a person gave to a run.

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
                     call.most_bytes = kMostOutput;
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
                     call.most_bytes = kMostOutput;
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
                     call.most_bytes = kMostOutput;
                     call.deadline = request.deadline.within(time_for(request, command.seconds, most));
                     return outcome_of(call);
                   });
}

// Tools of the run itself: asking, telling how far it is, and reading what was cut.

WEFT_DESCRIBED(ResultPart);

template <>
const Record<ResultPart>& record<ResultPart>() {
  static const auto made = Record<ResultPart>("ResultPart", "", RecordUse::kAsked)
                               .field("handle", &ResultPart::handle, "", {.required = true, .loose = true})
                               .field("find", &ResultPart::find, "", {.loose = true})
                               .field("from_line", &ResultPart::from_line, "", {.least = 1})
                               .field("lines", &ResultPart::lines, "", {.least = 1});
  return made;
}

template <>
const Record<HumanQuestion>& record<HumanQuestion>() {
  static const auto made = Record<HumanQuestion>("HumanQuestion", "A question to a person.", RecordUse::kAsked)
                               .field("question", &HumanQuestion::question, "one question", {.required = true})
                               .field("why", &HumanQuestion::why, "it is asked")
                               .field("fallback", &HumanQuestion::fallback, "what is done without an answer")
                               .field("choices", &HumanQuestion::choices, "to choose from")
                               .field("kind", &HumanQuestion::kind, "what is wanted");
  return made;
}

namespace {

Result<ToolOutcome> read_part(ResultStore& results, const ToolRequest& request) {
  WEFT_TRY(const auto what, parse_record<ResultPart>(request.arguments, "the arguments"));
  const auto text = results.read(request.run, what.handle);
  if (!text.ok()) return ToolOutcome{text.error().message + ". " + text.error().hint, true};
  const auto lines = lines_of(*text);
  const auto count = static_cast<std::int64_t>(lines.size());
  std::string part;
  std::int64_t at = what.from_line - 1, taken = 0;
  const std::int64_t most = what.find.empty() ? what.lines : kMostMatches;
  for (; at < count && taken < most && part.size() < kPartBytes; ++at) {
    const std::string_view line = lines[static_cast<std::size_t>(at)];
    const auto found = what.find.empty() ? 0 : line.find(what.find);
    if (found == std::string_view::npos) continue;
    // Of a line that is a whole file: from where the match is.
    const std::size_t begin = found > kLineBytes / 2 ? found - kLineBytes / 2 : 0;
    const std::size_t room = what.find.empty() ? kPartBytes : kLineBytes;
    part += std::to_string(at + 1) + ": " + repair_utf8(cut_bytes(line.substr(begin), room)) + "\n";
    ++taken;
  }
  return ToolOutcome{part + "[" + std::to_string(count) + " lines in all" +
                     (at < count ? "; go on with from_line " + std::to_string(at + 1) : "") + "]"};
}

}  // namespace

std::shared_ptr<Tool> human_tool() {
  std::vector<std::string> kinds;
  for (const QuestionKind kind :
       {QuestionKind::kKnowledge, QuestionKind::kDecision, QuestionKind::kAction, QuestionKind::kJudgement})
    kinds.emplace_back(to_string(kind));
  return make_tool(
      {std::string(kHumanAsk), "Asks the user one question and waits for the answer. Only for what nobody else knows.",
       ToolParameters()
           .text("question", "one question, with all that is needed to answer it")
           .text("why", "what it is needed for")
           .optional()
           .texts("choices", "answers to choose from")
           .optional()
           .text("fallback", "what you do if nobody answers")
           .optional()
           .choice("kind", "what is wanted: something the user knows, decides, does or judges", kinds)
           .optional()},
      ToolEffects::kNone,
      [](const ToolRequest&) -> Result<ToolOutcome> { return internal("questions are asked by the loop"); });
}

std::shared_ptr<Tool> result_tool(ResultStore& results) {
  return make_tool({"result_read", "Reads lines of a tool's output that was cut, by its handle.",
                    ToolParameters()
                        .text("handle", "as the cut output names it")
                        .integer("from_line", "the first line; 1 if left out")
                        .optional()
                        .integer("lines", "how many; 100 if left out")
                        .optional()
                        .text("find", "only lines that hold this text")
                        .optional()},
                   ToolEffects::kNone, [&results](const ToolRequest& request) { return read_part(results, request); });
}

std::shared_ptr<Tool> progress_tool(std::function<Status(const ProgressTold&)> tell) {
  return make_tool({"task_progress", "Notes your plan: what is done, what you do now, what is left.",
                    ToolParameters()
                        .texts("done", "steps that are done")
                        .text("current", "the step you are at")
                        .texts("remaining", "steps that are left")},
                   ToolEffects::kKeyed, [tell = std::move(tell)](const ToolRequest& request) -> Result<ToolOutcome> {
                     WEFT_TRY(const auto progress, parse_record<ProgressTold>(request.arguments, "the arguments"));
                     WEFT_CHECK(tell(progress));
                     return ToolOutcome{"noted"};
                   });
}

}  // namespace weft
