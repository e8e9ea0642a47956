#include <nlohmann/json.hpp>
#include <set>

#include "base/prompts.h"
#include "model/session_task.h"
#include "ports/files/file_system.h"
#include "surface/api/bodies.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"

namespace weft::cli {
namespace {

// The options of the command line stand over what the file says.
Result<ContextRequest> request_of(Console& console, const Config& config, const ContextOptions& options) {
  std::string body;
  if (options.request == "-") {
    WEFT_TRY(body, console.read_all());
  } else if (!options.request.empty()) {
    WEFT_TRY(body, read_file(console.path(options.request)));
  }
  WEFT_TRY(auto what, BodyForm<ContextRequest>::read(body, config));
  WEFT_CHECK(options.what.apply(what));
  if (what.input.empty() && what.history.empty())
    return invalid_argument("context: nothing to answer", "give the user's message, or --request with \"messages\"");
  return what;
}

void print(Console& console, const WovenContext& woven, bool skein, bool explain) {
  if (!woven.answer.empty())
    console.print("%s\n", woven.answer.c_str());
  else if (explain)
    print_report(console, woven.report);
  else if (skein)
    console.print("%s\n", woven.skein.c_str());
  else
    print_messages(console, woven.messages);
}

}  // namespace

int context(const Globals& globals, const ContextOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const auto what, request_of(*globals.console, engine.config(), options));
    wait_for_models(globals, engine);
    WEFT_TRY(const auto woven, engine.session(request, SessionId(globals.session)).context(what));
    if (globals.json)
      globals.console->line(to_json(woven, what.full));
    else
      print(*globals.console, woven, what.skein, options.explain);
    return {};
  });
}

// What a session works on, for people.

namespace {

void print_list(Console& console, const char* name, const std::vector<std::string>& entries) {
  for (const std::string& one : entries) console.print("%-11s %s\n", name, one.c_str());
}

void print_task(Console& console, const SessionTask& task) {
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
      print_task(*globals.console, known);
    return {};
  });
}

// weft prompt: the texts that are shipped for models, to be put into one's own system prompt.

namespace {

using Json = nlohmann::ordered_json;

std::string names_of_prompts() {
  std::set<std::string> names;
  for (unsigned i = 0; i < prompt_file_count; ++i) {
    const std::string_view id = prompt_file_list[i].id;
    names.emplace(id.substr(id.find('/') + 1));
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace

int prompt(const Globals& globals, const std::string& name, const std::string& language) {
  const Prompt found = shipped_prompt(name, language);
  if (found.text.empty())
    return report(globals, not_found("there is no prompt \"" + name + "\"", "there are " + names_of_prompts()));
  if (globals.json)
    globals.console->line(Json{{"id", found.id}, {"text", found.text}}.dump());
  else
    globals.console->line(found.text);
  return kDone;
}

}  // namespace weft::cli
