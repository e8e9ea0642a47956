// An agent that works for many steps: its task stands in every prompt, failures stay in sight, fitting tools are
// chosen, and a long run is compacted without losing its rules.
#include <weft/weft.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace {

using weft::Message;
using weft::ToolCall;
using weft::ValueObject;

std::vector<weft::ToolInfo> tools() {
  return {
      {"read_file", "Reads a file of the project.", weft::ToolParameters().text("path", "below the root")},
      {"run_tests", "Runs the unit tests.", weft::ToolParameters().text("filter", "names to run").optional()},
      {"send_mail", "Sends a letter to a person.", weft::ToolParameters().text("to", "address").text("body", "text")},
  };
}

weft::Status work(const weft::Session& session, int step) {
  const std::string id = "call-" + std::to_string(step);
  const std::string file = "src/parser_" + std::to_string(step) + ".cpp";
  const auto call = ToolCall::make(id, "read_file", ValueObject{{"path", file}});
  WEFT_TRY(const auto kept, session.observe({
                                Message::user("Go on with step " + std::to_string(step) + "."),
                                Message::step("I look at " + file + ".", {call}),
                                step == 1 ? Message::failure(id, "no such file: " + file)
                                          : Message::output(id, file + ": 120 lines, one use of the old tokenizer"),
                                Message::assistant("Looked at " + file + "."),
                            }));
  return {};
}

weft::Status run(const std::string& workspace) {
  weft::Config config;
  config.workspace = workspace;
  WEFT_TRY(const auto engine, weft::Engine::open(config));
  const weft::Session session = engine->session(weft::Scope::of_user("dev"), "migration");

  weft::SessionTask task;
  task.state.description = "Replace the old tokenizer in all parsers.";
  task.state.type = "coding";
  task.state.remaining = {"parsers 1 to 12", "documentation"};
  task.state.constraints = {"Never touch include/public_api.h"};
  WEFT_CHECK(session.set_task(task));
  for (int step = 1; step <= 12; ++step) WEFT_CHECK(work(session, step));

  WEFT_TRY(const weft::Compaction compaction, session.compact({.focus = "the tokenizer"}));
  std::printf("compacted: %zu turns summarised, %zu kept, %lld -> %lld tokens\n", compaction.report.turns_summarised,
              compaction.report.turns_kept, static_cast<long long>(compaction.report.tokens_before),
              static_cast<long long>(compaction.report.tokens_after));

  weft::ContextRequest next;
  next.input = "Run the tests of the parser now.";
  next.tools = tools();
  WEFT_TRY(const auto woven, session.context(next));
  std::string prompt;
  for (const Message& message : woven.messages) prompt += message.content + "\n";
  std::printf("prompt: %zu messages, %lld tokens; tools:", woven.messages.size(),
              static_cast<long long>(woven.report.tokens));
  for (const std::string& name : woven.tools) std::printf(" %s", name.c_str());
  const bool rule_stands = prompt.find("include/public_api.h") != std::string::npos;
  std::printf("\nthe rule %s in the prompt\n", rule_stands ? "stands" : "is missing");
  WEFT_TRY(const bool ended, session.end_task());
  return rule_stands && ended ? weft::Status() : weft::internal("the task was lost");
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "weft-example-coding-agent";
  std::filesystem::remove_all(folder);
  const weft::Status done = run(folder.string());
  if (!done.ok()) std::fprintf(stderr, "%s | %s\n", done.error().message.c_str(), done.error().hint.c_str());
  std::filesystem::remove_all(folder);
  return done.ok() ? 0 : 1;
}
