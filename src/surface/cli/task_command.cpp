// What a session works on, for people.
#include "model/session_task.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

void print_list(Console& console, const char* name, const std::vector<std::string>& entries) {
  for (const std::string& one : entries) console.print("%-11s %s\n", name, one.c_str());
}

void print(Console& console, const SessionTask& task) {
  if (task.empty()) {
    console.line("no task");
    return;
  }
  console.print("%s\n", task.state.description.c_str());
  if (!task.state.type.empty()) console.print("%-11s %s\n", "type", task.state.type.c_str());
  print_list(console, "done", task.state.done);
  if (!task.state.current.empty()) console.print("%-11s %s\n", "current", task.state.current.c_str());
  print_list(console, "remaining", task.state.remaining);
  print_list(console, "constraint", task.state.constraints);
  print_list(console, "warning", task.state.warnings);
  for (const Preference& one : task.preferences)
    console.print("%-11s %s (%.2f)\n", "preference", one.text.c_str(), one.confidence);
  console.print("%-11s %s\n", "since", task.since.c_str());
}

}  // namespace

int task(const Globals& globals, const TaskOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    const SessionId session(globals.session);
    if (options.what == "end") {
      WEFT_TRY(const bool ended, engine.session(request, session).end_task());
      if (globals.json)
        globals.console->line(ended ? R"({"ended":true})" : R"({"ended":false})");
      else
        globals.console->line(ended ? "ended" : "no task");
      return {};
    }
    if (options.what == "set") {
      WEFT_TRY(const auto given, options.task.made());
      WEFT_CHECK(engine.session(request, session).set_task(given));
    }
    WEFT_TRY(const auto known, engine.session(request, session).task());
    if (globals.json)
      globals.console->line("{\"task\":" + (known.empty() ? "null" : to_json(known)) + "}");
    else
      print(*globals.console, known);
    return {};
  });
}

}  // namespace weft::cli
