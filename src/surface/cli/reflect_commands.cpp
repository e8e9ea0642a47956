// Commands for looking back: what was learnt of tasks, and the import of other agents' runs.
#include <CLI/CLI.hpp>
#include <optional>

#include "engine/learning_budget.h"
#include "growth/learning_plan.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

struct ReflectOptions {
  std::string what, id, file, day, text;
  std::vector<std::string> files;
  bool no_learning = false;
};

template <class T>
void write_list(JsonWriter& out, const char* name, const std::vector<T>& all) {
  out.name(name);
  JsonForm<std::vector<T>>::write(all, out);
}

void print(const Globals& globals, const Reflection& one) {
  if (globals.json) {
    globals.console->line(to_json(one));
    return;
  }
  Console& out = *globals.console;
  const auto word = [](auto value) { return std::string(to_string(value)); };
  out.print("%s  %s  %s by %s, of %s\n", one.id.c_str(), format_time(one.time).c_str(), word(one.trigger).c_str(),
            word(one.by).c_str(), word(one.provenance).c_str());
  if (!one.task.empty()) out.print("  task: %s\n", one.task.substr(0, one.task.find('\n')).c_str());
  if (!one.assessment.empty()) out.print("  %s\n", one.assessment.c_str());
  if (!one.efficiency.empty()) out.print("  efficiency: %s\n", one.efficiency.c_str());
  for (const Diagnosis& error : one.errors)
    out.print("  step %lld, %s: %s\n", static_cast<long long>(error.step), word(error.cause).c_str(),
              error.what.c_str());
  for (const Suggestion& advice : one.suggestions)
    out.print("  → %s (%s; confidence %s, severity %s)\n", advice.strategy.c_str(), advice.applies_to.c_str(),
              word(advice.confidence).c_str(), word(advice.severity).c_str());
  for (const std::string& gap : one.gaps) out.print("  missing: %s\n", gap.c_str());
  if (!one.failed.empty()) out.print("  the model's answer could not be used: %s\n", one.failed.c_str());
}

Status list(const Hindsight& hindsight, const Globals& globals) {
  WEFT_TRY(const auto all, hindsight.reflections());
  if (globals.json) {
    JsonWriter out;
    out.begin('{');
    write_list(out, "reflections", all);
    out.end('}');
    globals.console->line(out.take());
    return {};
  }
  if (all.empty()) globals.console->line("no reflections yet");
  for (const Reflection& one : all)
    globals.console->print("%-24s %-8s %-6s %zu errors, %zu suggestions  %s\n", one.id.c_str(),
                           std::string(to_string(one.trigger)).c_str(), to_string(one.by).data(), one.errors.size(),
                           one.suggestions.size(), one.task.substr(0, one.task.find('\n')).c_str());
  return {};
}

Result<std::string> text_of(const Globals& globals, const std::string& file) {
  return file == "-" ? globals.console->read_all() : read_file(globals.console->path(file));
}

Status show_learning(const Globals& globals, const LearningStatus& now) {
  if (globals.json) return globals.console->line(to_json(now)), Status();
  globals.console->print("%s: %lld calls of models for learning, %lld of %lld tokens, %.1f of %lld minutes\n",
                         now.day.c_str(), static_cast<long long>(now.calls), static_cast<long long>(now.tokens),
                         static_cast<long long>(now.most_tokens), now.minutes,
                         static_cast<long long>(now.most_minutes));
  globals.console->print("learnt from: %s; models between %lld and %lld o'clock\n",
                         now.enabled ? now.scopes.c_str() : "nobody, learning is off",
                         static_cast<long long>(now.from_hour), static_cast<long long>(now.to_hour));
  globals.console->print("before a promotion: %lld past tasks, of which %lld may break\n",
                         static_cast<long long>(now.replays), static_cast<long long>(now.regressions));
  globals.console->print("turns: %s, %s\n", now.turns.c_str(),
                         now.open ? "models may be asked" : ("without models: " + now.why).c_str());
  return {};
}

/// What is changed of the plan; the rest stays as it is.
struct PlanOptions {
  bool off = false, on = false;
  std::optional<std::string> scopes;
  std::optional<std::int64_t> day_tokens, day_minutes, from_hour, to_hour, replays, regressions;
};

Status change_plan(const Globals& globals, const Engine& engine, const PlanOptions& wanted) {
  const std::string& workspace = engine.config().workspace;
  WEFT_TRY(LearningPlan plan, read_learning_plan(workspace));
  if (wanted.off || wanted.on) plan.enabled = wanted.on;
  plan.scopes = wanted.scopes.value_or(plan.scopes);
  plan.day_tokens = wanted.day_tokens.value_or(plan.day_tokens);
  plan.day_minutes = wanted.day_minutes.value_or(plan.day_minutes);
  plan.from_hour = wanted.from_hour.value_or(plan.from_hour);
  plan.to_hour = wanted.to_hour.value_or(plan.to_hour);
  plan.replays = wanted.replays.value_or(plan.replays);
  plan.regressions = wanted.regressions.value_or(plan.regressions);
  WEFT_TRY(plan, parse_record<LearningPlan>(to_json(plan), "the plan"));  // checks the bounds of each field
  WEFT_CHECK(write_learning_plan(workspace, plan));
  return show_learning(globals, learning_status(engine.config(), engine.now()));
}

void add_plan(CommandLine& line, CLI::App& reflect) {
  auto asked = std::make_shared<PlanOptions>();
  auto* plan = reflect.add_subcommand("plan", "say who is learnt from, and what models may be asked for it");
  auto* off = plan->add_flag("--off", asked->off, "learn nothing; what is known is told all the same");
  plan->add_flag("--on", asked->on, "learn again")->excludes(off);
  plan->add_option("--scopes", asked->scopes, "who is learnt from: patterns such as 'user:* -user:guest'");
  plan->add_option("--day-tokens", asked->day_tokens, "tokens a day of models in the background; 0: none is asked");
  plan->add_option("--day-minutes", asked->day_minutes, "minutes a day of them");
  plan->add_option("--from-hour", asked->from_hour, "hour of the day from which on they are asked");
  plan->add_option("--to-hour", asked->to_hour, "hour until which they are; 22 and 6 are the night");
  plan->add_option("--replays", asked->replays,
                   "past tasks a rule or a skill is tried on before it is promoted; 0: none");
  plan->add_option("--regressions", asked->regressions, "of these, that it may break");
  line.on(plan, Place::kWorkspace, [asked](const Globals& globals) {
    return with_engine(globals,
                       [&](Engine& engine, const RequestContext&) { return change_plan(globals, engine, *asked); });
  });
}

Status run_reflect(const Hindsight& hindsight, const Globals& globals, const ReflectOptions& options) {
  if (options.what == "list") return list(hindsight, globals);
  Result<Reflection> made = internal("");
  if (options.what == "show") {
    made = hindsight.reflection(options.id);
  } else if (options.what == "review") {
    made = hindsight.review(options.day);
  } else if (options.what == "feedback") {
    made = hindsight.feedback(options.id, options.text);
  } else {
    WEFT_TRY(const std::string text, text_of(globals, options.file));
    WEFT_TRY(const auto report, parse_record<TaskReport>(text, options.file));
    made = hindsight.reflect(report);
  }
  if (!made.ok()) return made.error();
  print(globals, *made);
  return {};
}

// What can be read of all files is taken; a file of which nothing can is an error at the end.
Status run_import(const Hindsight& hindsight, const Globals& globals, const ReflectOptions& options) {
  Status trouble;
  std::vector<Reflection> reflections;
  std::vector<std::string> problems;
  std::vector<TaskReport> kept;
  for (const std::string& file : options.files) {
    WEFT_TRY(const std::string text, text_of(globals, file));
    const auto made = hindsight.import_runs(text, file, !options.no_learning);
    if (!made.ok()) {
      problems.push_back(made.error().message);
      trouble = made.error();
      continue;
    }
    problems.insert(problems.end(), made->problems.begin(), made->problems.end());
    reflections.insert(reflections.end(), made->reflections.begin(), made->reflections.end());
    kept.insert(kept.end(), made->kept.begin(), made->kept.end());
    if (!globals.json)
      globals.console->print("%s: %zu runs (%s)%s\n", file.c_str(), made->reflections.size() + made->kept.size(),
                             made->format.c_str(), made->kept.empty() ? "" : ", kept without learning");
  }
  if (globals.json) {
    JsonWriter out;
    out.begin('{');
    write_list(out, "reflections", reflections);
    write_list(out, "problems", problems);
    if (!kept.empty()) write_list(out, "kept", kept);
    out.end('}');
    globals.console->line(out.take());
  } else {
    for (const Reflection& one : reflections) print(globals, one);
    for (const std::string& problem : problems) globals.console->print("! %s\n", problem.c_str());
  }
  return trouble;
}

using Work = Status (*)(const Hindsight&, const Globals&, const ReflectOptions&);

void on(CommandLine& line, CLI::App* sub, const std::shared_ptr<ReflectOptions>& asked, const char* name, Work work) {
  line.on(sub, Place::kWorkspace, [asked, name, work](const Globals& globals) {
    asked->what = name;
    return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
      return work(engine.hindsight(request), globals, *asked);
    });
  });
}

}  // namespace

void add_reflection(CommandLine& line) {
  auto asked = std::make_shared<ReflectOptions>();
  auto* reflect = line.app().add_subcommand("reflect", "what was learnt of tasks that are over");
  reflect->require_subcommand(1);
  const auto add = [&](const char* name, const char* text) {
    auto* sub = reflect->add_subcommand(name, text);
    on(line, sub, asked, name, run_reflect);
    return sub;
  };
  add("list", "all reflections, the oldest first");
  auto* status = reflect->add_subcommand("status", "how much models were asked for the sake of learning, and may be");
  line.on(status, Place::kWorkspace, [](const Globals& globals) {
    return with_engine(globals, [&](Engine& engine, const RequestContext&) {
      return show_learning(globals, learning_status(engine.config(), engine.now()));
    });
  });
  add_plan(line, *reflect);
  add("show", "one reflection")->add_option("id", asked->id, "which")->required();
  add("run", "reflect on a task that is over")
      ->add_option("report", asked->file, "file of the task report (JSON); - is standard input")
      ->required();
  add("review", "what the tasks of a day have in common")->add_option("day", asked->day, "YYYY-MM-DD; default: today");
  auto* feedback = add("feedback", "what a user said to the result of a task");
  feedback->add_option("report", asked->id, "id of the task report")->required();
  feedback->add_option("text", asked->text, "in the user's words")->required();
  // Other commands of this name may be there already.
  const auto named = line.app().get_subcommands([](const CLI::App* sub) { return sub->get_name() == "agent"; });
  CLI::App* agent = named.empty() ? nullptr : named.front();
  if (agent == nullptr) {
    agent = line.app().add_subcommand("agent", "runs of agents");
    agent->require_subcommand(1);
  }
  auto* import = agent->add_subcommand("import",
                                       "learn from sessions of other agents: OpenAI-style messages, Claude "
                                       "Code, Codex, OpenHands, SWE-agent");
  import->add_option("files", asked->files, "their files; - is standard input")->required();
  import->add_flag("--no-learning", asked->no_learning, "keep the reports of their runs, and learn nothing from them");
  on(line, import, asked, "import", run_import);
}

}  // namespace weft::cli
