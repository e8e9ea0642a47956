#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

#include "engine/learning_budget.h"
#include "growth/learning_plan.h"
#include "growth/promotion_gate.h"
#include "growth/skill_folder.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/output.h"
#include "text/yaml_value.h"

namespace weft::cli {

// Commands for looking back: what was learnt of tasks, and the import of other agents' runs.

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

// Commands for what was learnt: rules, and changes of skills.

namespace {

struct RuleOptions {
  std::string what, id, why, file;
  std::int64_t from = 0, to = 0;
  RuleChange change;
};

struct MutationOptions {
  std::string what, id, why;
};

// A record for programs as JSON, for people as the YAML of its file.
template <class T>
Status show_rule(const Globals& globals, const T& one) {
  globals.json ? globals.console->line(to_json(one)) : globals.console->print("%s", to_yaml(one).c_str());
  return {};
}

std::string marks(const Rule& rule) {
  return std::string(rule.pinned ? " pinned" : "") + (rule.disabled ? " disabled" : "");
}

Status list_rules(const Growth& growth, const Globals& globals) {
  WEFT_TRY(const auto rules, growth.rules());
  if (globals.json) {
    globals.console->line(json_list("rules", rules));
    return {};
  }
  if (rules.empty()) globals.console->line("no rules yet");
  for (const Rule& rule : rules) {
    globals.console->print(
        "%-10s %-10s %-12s %lld of %lld%s  %s%s\n", rule.id.c_str(), std::string(to_string(rule.stage)).c_str(),
        rule.owner.c_str(), static_cast<long long>(rule.uses.succeeded),
        static_cast<long long>(rule.uses.succeeded + rule.uses.failed), marks(rule).c_str(), rule.strategy.c_str(),
        rule.applies_to.empty() ? "" : (" (" + rule.applies_to + ")").c_str());
    if (const std::string gate = gate_text(rule.gate); !gate.empty()) globals.console->print("  %s\n", gate.c_str());
  }
  WEFT_TRY(const auto problems, growth.rule_problems());
  for (const std::string& problem : problems) globals.console->print("! %s\n", problem.c_str());
  return {};
}

Status learn(const Growth& growth, const Globals& globals, const RuleOptions& options) {
  WEFT_TRY(const std::string text,
           options.file == "-" ? globals.console->read_all() : read_file(globals.console->path(options.file)));
  WEFT_TRY(const auto reflection, parse_record<Reflection>(text, options.file));
  WEFT_CHECK(growth.take_reflection(reflection));
  return list_rules(growth, globals);
}

Status diff_rule(const Growth& growth, const Globals& globals, const RuleOptions& options) {
  WEFT_TRY(const std::string text, growth.rule_diff(options.id, options.from, options.to));
  print_diff(globals, text);
  return {};
}

Status run_rule(const Growth& growth, const Globals& globals, const RuleOptions& options) {
  if (options.what == "list") return list_rules(growth, globals);
  if (options.what == "learn") return learn(growth, globals, options);
  if (options.what == "diff") return diff_rule(growth, globals, options);
  if (options.what == "show") {
    WEFT_TRY(const Rule rule, growth.rule(options.id));
    return show_rule(globals, rule);
  }
  RuleChange change = options.change;
  change.by = globals.user;
  for (const RuleAction action : kEnumValues<RuleAction>)
    if (to_string(action) == options.what) change.action = action;
  WEFT_TRY(const Rule rule, growth.change_rule(options.id, change));
  return show_rule(globals, rule);
}

Status list_mutations(const Globals& globals, const std::vector<Mutation>& all) {
  if (globals.json) {
    globals.console->line(json_list("mutations", all));
    return {};
  }
  if (all.empty()) globals.console->line("no changes of skills yet");
  for (const Mutation& one : all)
    globals.console->print(
        "%-16s %s %-17s with it %lld of %lld, without %lld of %lld, better with probability %.3f  %s%s\n",
        one.id.c_str(), std::string(to_string(one.type)).c_str(), std::string(to_string(one.stage)).c_str(),
        static_cast<long long>(one.variant_successes), static_cast<long long>(one.variant_uses),
        static_cast<long long>(one.original_successes), static_cast<long long>(one.original_uses),
        one.probability_better, one.change.c_str(), one.decided.empty() ? "" : ("; " + one.decided).c_str());
  return {};
}

Status run_mutation(const Growth& growth, const Globals& globals, const MutationOptions& options) {
  if (options.what == "propose") {
    WEFT_TRY(const auto made, growth.propose_mutations(options.id));
    return list_mutations(globals, made);
  }
  if (options.what == "approve" || options.what == "refuse") {
    WEFT_TRY(const auto judged, growth.judge_mutation(options.id, options.what == "approve", options.why));
    return show_rule(globals, judged);
  }
  WEFT_TRY(const auto all, growth.mutations());
  if (options.what == "list") return list_mutations(globals, all);
  for (const Mutation& one : all)
    if (one.id == options.id) return show_rule(globals, one);
  return not_found("mutation: there is no change \"" + options.id + "\"", "`weft mutation list` shows them");
}

void add_rule_commands(CommandLine& line) {
  auto asked = std::make_shared<RuleOptions>();
  auto* rules = line.app().add_subcommand("rule", "what was learnt of how to work");
  rules->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, bool one) {
    auto* sub = rules->add_subcommand(name, text);
    if (one) sub->add_option("id", asked->id, "which rule")->required();
    line.on(sub, Place::kWorkspace, [asked, name](const Globals& globals) {
      asked->what = name;
      return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
        return run_rule(engine.growth(request), globals, *asked);
      });
    });
    return sub;
  };
  add("list", "all rules, in every stage", false);
  add("show", "one rule with its history, as it stands in its file", true);
  auto* diffing = add("diff", "what changed between two versions", true);
  diffing->add_option("--from", asked->from, "version; default: the one before the newest");
  diffing->add_option("--to", asked->to, "version; default: the newest");
  for (const auto& [name, text] :
       std::initializer_list<std::pair<const char*, const char*>>{{"approve", "tell it from now on"},
                                                                  {"refuse", "tell it never"},
                                                                  {"retire", "tell it no more"},
                                                                  {"pin", "keep it whatever its uses say"},
                                                                  {"unpin", "let its uses decide again"},
                                                                  {"disable", "switch it off for a while"},
                                                                  {"enable", "switch it on again"}})
    add(name, text, true)->add_option("--why", asked->change.why, "the reason, kept with the rule");
  add("rollback", "put a former version back", true)
      ->add_option("--version", asked->change.version, "which; default: the last before this");
  auto* editing = add("edit", "change its texts", true);
  editing->add_option("--strategy", asked->change.strategy, "what to do");
  editing->add_option("--applies-to", asked->change.applies_to, "when");
  editing->add_option("--expected", asked->change.expected, "what gets better");
  add("learn", "take what a reflection suggests", false)
      ->add_option("--file", asked->file, "a reflection as JSON; - is standard input")
      ->required();
}

void add_mutation_commands(CommandLine& line) {
  auto asked = std::make_shared<MutationOptions>();
  auto* mutations = line.app().add_subcommand("mutation", "changes of skills that are tried against the original");
  mutations->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, const char* which) {
    auto* sub = mutations->add_subcommand(name, text);
    if (which != nullptr) sub->add_option("id", asked->id, which)->required();
    line.on(sub, Place::kWorkspace, [asked, name](const Globals& globals) {
      asked->what = name;
      return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
        return run_mutation(engine.growth(request), globals, *asked);
      });
    });
    return sub;
  };
  add("list", "all, with how they do so far", nullptr);
  add("show", "one, as it stands in its file", "which change");
  add("propose", "propose changes of a skill that does well", "which skill");
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"approve", "try one that waits, keep one that is on trial"}, {"refuse", "discard it"}})
    add(name, text, "which change")->add_option("--why", asked->why, "the reason, kept with it");
}

}  // namespace

void add_growth(CommandLine& line) {
  add_rule_commands(line);
  add_mutation_commands(line);
}

// Commands for skills: procedures that were learnt, taught or imported.

namespace {

struct SkillOptions {
  std::string what, id, why, file, name, folder;
  bool everybody = false;
  std::int64_t from = 0, to = 0, version = 0;
};

// A record for programs as JSON, for people as the YAML of its file.
Status show_skill(const Globals& globals, const Skill& skill) {
  if (globals.json)
    globals.console->line(to_json(skill));
  else
    globals.console->write(to_yaml(skill));
  return {};
}

Status list_skills(const Growth& growth, const Globals& globals) {
  WEFT_TRY(const auto skills, growth.skills());
  WEFT_TRY(const auto problems, growth.skill_problems());
  if (globals.json) {
    for (const Skill& skill : skills) globals.console->line(to_json(skill));
    return {};
  }
  if (skills.empty()) globals.console->line("no skills yet; `weft skill teach FILE` makes one");
  for (const Skill& skill : skills) {
    const std::string marks = std::string(skill.pinned ? " pinned" : "") + (skill.disabled ? " disabled" : "");
    globals.console->print(
        "%-24s %-10s %-12s %lld of %lld%s  %s\n", skill.skill_id.c_str(), std::string(to_string(skill.stage)).c_str(),
        skill.owner.c_str(), static_cast<long long>(skill.uses.succeeded),
        static_cast<long long>(skill.uses.succeeded + skill.uses.failed), marks.c_str(), skill.name.c_str());
    if (const std::string gate = gate_text(skill.gate); !gate.empty()) globals.console->print("  %s\n", gate.c_str());
  }
  for (const std::string& problem : problems) globals.console->print("! %s\n", problem.c_str());
  return {};
}

Status match(const Growth& growth, const Globals& globals, const std::string& task) {
  WEFT_TRY(const auto matches, growth.match_skills(task));
  if (!globals.json && matches.empty()) globals.console->line("no skill fits");
  for (const SkillMatch& one : matches) {
    if (globals.json)
      globals.console->line(to_json(one));
    else
      globals.console->print("%.2f  %-9s  %-24s %s\n", one.likeness, std::string(to_string(one.use)).c_str(),
                             one.skill.skill_id.c_str(), one.skill.name.c_str());
  }
  return {};
}

Status teach(const Growth& growth, const Globals& globals, const SkillOptions& options) {
  SkillLesson lesson;
  WEFT_TRY(lesson.text,
           options.file == "-" ? globals.console->read_all() : read_file(globals.console->path(options.file)));
  lesson.name = options.name;
  if (options.everybody) lesson.owner = "workspace";
  WEFT_TRY(const Skill skill, growth.teach_skill(lesson));
  globals.made->push_back("skill " + skill.skill_id);
  return show_skill(globals, skill);
}

Status import_folder(const Growth& growth, const Globals& globals, const SkillOptions& options) {
  WEFT_TRY(SkillFolder folder, read_skill_folder(disk(), globals.console->path(options.folder)));
  if (options.everybody) folder.owner = "workspace";
  WEFT_TRY(const Skill skill, growth.import_skill(folder));
  globals.made->push_back("skill " + skill.skill_id);
  return show_skill(globals, skill);
}

Status export_folder(const Growth& growth, const Globals& globals, const SkillOptions& options) {
  WEFT_TRY(const SkillFolder folder, growth.export_skill(options.id));
  const std::filesystem::path into = std::filesystem::path(globals.console->path(options.folder)) / folder.name;
  if (std::filesystem::exists(into))
    return conflict(into.string() + " is there already", "export to another folder, or remove it first");
  WEFT_CHECK(write_skill_folder(disk(), folder, into));
  globals.console->line(globals.json ? to_json(folder) : "written to " + into.string());
  return {};
}

Status diff_skill(const Growth& growth, const Globals& globals, const SkillOptions& options) {
  WEFT_TRY(const std::string text, growth.skill_diff(options.id, options.from, options.to));
  print_diff(globals, text);
  return {};
}

Status run_skill(const Growth& growth, const Globals& globals, const SkillOptions& options) {
  if (options.what == "list") return list_skills(growth, globals);
  if (options.what == "match") return match(growth, globals, options.id);
  if (options.what == "teach") return teach(growth, globals, options);
  if (options.what == "import") return import_folder(growth, globals, options);
  if (options.what == "export") return export_folder(growth, globals, options);
  if (options.what == "diff") return diff_skill(growth, globals, options);
  if (options.what == "show") {
    WEFT_TRY(const Skill skill, growth.skill(options.id));
    return show_skill(globals, skill);
  }
  SkillChange change{SkillAction::kRetire, globals.user, options.why, options.version};
  for (const SkillAction action : kEnumValues<SkillAction>)
    if (to_string(action) == options.what) change.action = action;
  WEFT_TRY(const Skill skill, growth.change_skill(options.id, change));
  return show_skill(globals, skill);
}

}  // namespace

void add_skills(CommandLine& line) {
  auto asked = std::make_shared<SkillOptions>();
  auto* skills = line.app().add_subcommand("skill", "procedures that were learnt, taught or imported");
  skills->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, const char* which) {
    auto* sub = skills->add_subcommand(name, text);
    if (which != nullptr) sub->add_option("id", asked->id, which)->required();
    line.on(sub, Place::kWorkspace, [asked, name](const Globals& globals) {
      asked->what = name;
      return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
        if (asked->what == "match" || asked->what == "teach") wait_for_models(globals, engine);
        return run_skill(engine.growth(request), globals, *asked);
      });
    });
    return sub;
  };
  add("list", "all skills, in every stage, and files that cannot be read", nullptr);
  add("show", "one skill with its history, as it stands in its file", "which skill");
  add("match", "which skills fit a task", "the task, in words");
  auto* diffing = add("diff", "what changed between two versions", "which skill");
  diffing->add_option("--from", asked->from, "version; default: the one before the newest");
  diffing->add_option("--to", asked->to, "version; default: the newest");
  add("rollback", "put a former version back", "which skill")
      ->add_option("--version", asked->version, "which; default: the last before this");
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"approve", "make it active, whatever its trial and past tasks say"},
           {"retire", "tell it no more"},
           {"pin", "keep it whatever its uses say"},
           {"unpin", "let its uses decide again"},
           {"disable", "switch it off for a while"},
           {"enable", "switch it on, or bring it back"},
           {"remove", "delete it with its history"}})
    add(name, text, "which skill")->add_option("--why", asked->why, "the reason, kept with the skill");
  auto* teaching = add("teach", "take a procedure in your own words, a step a line", nullptr);
  teaching->add_option("file", asked->file, "Markdown or plain text; - is standard input")->required();
  teaching->add_option("--name", asked->name, "default: the heading, or the first line");
  teaching->add_flag("--everybody", asked->everybody, "for all users of the workspace");
  auto* importing = add("import", "take an Agent Skill; nothing in it is run", nullptr);
  importing->add_option("folder", asked->folder, "with SKILL.md")->required();
  importing->add_flag("--everybody", asked->everybody, "for all users of the workspace");
  add("export", "write a skill as an Agent Skill", "which skill")
      ->add_option("folder", asked->folder, "below which its folder is made")
      ->required();
}

// Commands for what is believed of the user's preferences, and for questions.

namespace {

constexpr std::chrono::milliseconds kLook{150};

struct BeliefWords {
  std::string what, dimension, value;
};

struct EditWords {
  std::string before, after, report;
};

struct QuestionWords {
  std::string what, id, text, arguments;
  Question question;
  bool urgent = false;
};

Status list_beliefs(const Beliefs& beliefs, const Globals& globals) {
  WEFT_TRY(const auto all, beliefs.list());
  if (globals.json) {
    globals.console->line(json_list("beliefs", all));
    return {};
  }
  if (all.empty()) globals.console->line("nothing is believed yet");
  for (const Belief& one : all)
    globals.console->print("%-12s %-18s %.2f  %lld for, %lld against%s%s\n", one.dimension.c_str(), one.value.c_str(),
                           one.confidence, static_cast<long long>(one.evidence_count),
                           static_cast<long long>(one.contradictions), one.confirmed ? ", confirmed" : "",
                           one.needs_confirmation ? ", to be confirmed" : "");
  WEFT_TRY(const auto problems, beliefs.problems());
  for (const std::string& problem : problems) globals.console->print("! %s\n", problem.c_str());
  return {};
}

Status run_belief(const Beliefs& beliefs, const Globals& globals, const BeliefWords& words) {
  if (words.what == "confirm") WEFT_CHECK(beliefs.confirm(words.dimension, words.value));
  if (words.what == "reject") WEFT_CHECK(beliefs.reject(words.dimension, words.value));
  if (words.what == "forget") WEFT_CHECK(beliefs.forget(words.dimension, words.value));
  return list_beliefs(beliefs, globals);
}

// What a person made of a file that an agent wrote, or of the answer of a task.
Status learn_edit(Engine& engine, const RequestContext& request, const Globals& globals, const EditWords& words) {
  WEFT_TRY(const std::string after, read_file(globals.console->path(words.after)));
  const Beliefs beliefs = engine.beliefs(request);
  if (words.report.empty()) {
    WEFT_TRY(const std::string before, read_file(globals.console->path(words.before)));
    const auto learnt = beliefs.learn_edit(before, after);
    return learnt.ok() ? list_beliefs(beliefs, globals) : Status(learnt.error());
  }
  WEFT_TRY(const auto reports, engine.hindsight(request).reports());
  const auto report =
      std::find_if(reports.begin(), reports.end(), [&](const TaskReport& one) { return one.id == words.report; });
  if (report == reports.end()) return not_found("edit: there is no task report \"" + words.report + "\"");
  WEFT_CHECK(beliefs.learn_edit(report->output, after, "report/" + report->id));
  // Where little of the answer is left, the edit says nothing of how the task went.
  if (const auto said = engine.hindsight(request).feedback(report->id, after);
      !said.ok() && said.error().code != ErrorCode::kInvalidArgument)
    return said.error();
  return list_beliefs(beliefs, globals);
}

void show_question(const Globals& globals, const Question& one) {
  if (globals.json) return globals.console->line(to_json(one));
  globals.console->print("%s %s %s  %s\n", one.id.c_str(), std::string(to_string(one.stage)).c_str(),
                         std::string(to_string(one.urgency)).c_str(), one.text.c_str());
  char letter = 'A';
  for (const std::string& choice : one.choices) globals.console->print("   %c. %s\n", letter++, choice.c_str());
  if (!one.answer.empty()) globals.console->print("   = %s\n", one.answer.c_str());
  if (!one.fallback.empty()) globals.console->print("   without an answer: %s\n", one.fallback.c_str());
}

// A run that an answer lets go on works in this very process, unless a server does: until it waits again or has ended.
Status see_it_off(const AgentRuns& runs, const Globals& globals, const std::string& id) {
  if (id.empty() || globals.serving != nullptr) return {};
  auto known = runs.show(id);
  while (known.ok() && !known->parent.empty()) known = runs.show(known->parent);
  if (!known.ok()) return {};  // the question named a run that is none of ours
  AgentRun now = std::move(known).value();
  while (now.status == "running") {
    WEFT_TRY(const auto events, runs.events(now.id, now.events, kLook));
    (void)events;
    WEFT_TRY(now, runs.show(now.id));
  }
  if (!globals.json) print_run(*globals.console, now);
  return {};
}

Status run_question(const Questions& questions, const AgentRuns& runs, const Globals& globals,
                    const QuestionWords& words) {
  if (words.what == "list") {
    WEFT_TRY(const auto all, questions.list());
    if (globals.json) {
      globals.console->line(json_list("questions", all));
      return {};
    }
    for (const Question& one : all) show_question(globals, one);
    if (all.empty()) globals.console->line("no questions yet");
    return {};
  }
  if (words.what == "next") {
    WEFT_TRY(const auto next, questions.next());
    if (next) show_question(globals, *next);
    if (!next) globals.console->line(globals.json ? "null" : "nothing is to be asked now");
    return {};
  }
  if (words.what == "answer") {
    if (words.text.empty() && words.arguments.empty()) return invalid_argument("there is no answer");
    // Who edits the arguments of a call allows it.
    const std::string text = words.text.empty() ? "allow" : words.text;
    WEFT_TRY(const Question answered, questions.answer(words.id, text, words.arguments));
    show_question(globals, answered);
    return see_it_off(runs, globals, answered.run);
  }
  Question question = words.question;
  question.text = words.text;
  question.urgency = words.urgent ? Grade::kHigh : Grade::kMedium;
  if (!question.choices.empty()) question.kind = QuestionKind::kDecision;
  WEFT_TRY(const Question asked, questions.ask(question));
  show_question(globals, asked);
  return {};
}

void add_belief_commands(CommandLine& line) {
  auto words = std::make_shared<BeliefWords>();
  auto* beliefs = line.app().add_subcommand("belief", "what is believed of the user's preferences");
  beliefs->require_subcommand(1);
  const auto add = [&](const char* name, const char* text, bool value_needed) {
    auto* sub = beliefs->add_subcommand(name, text);
    if (std::string_view(name) != "list") {
      sub->add_option("dimension", words->dimension, "detail, format, language, …")->required();
      auto* value = sub->add_option("value", words->value, "such as brief");
      if (value_needed) value->required();
    }
    line.on(sub, Place::kWorkspace, [words, name](const Globals& globals) {
      words->what = name;
      return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
        return run_belief(engine.beliefs(request), globals, *words);
      });
    });
  };
  add("list", "all, with how sure they are", false);
  add("confirm", "say that a value holds", true);
  add("reject", "say that it does not; without a value the leading one", false);
  add("forget", "take a dimension out, or one value of it", false);
  auto edited = std::make_shared<EditWords>();
  auto* editing = beliefs->add_subcommand("edit", "learn from what you made of a text that an agent wrote");
  editing->add_option("after", edited->after, "file: the text as it is now")->required();
  auto* before = editing->add_option("--before", edited->before, "file: the text as the agent wrote it");
  auto* report = editing->add_option("--report", edited->report, "id of the task's report whose answer it was");
  before->excludes(report);
  editing->require_option(2);
  line.on(editing, Place::kWorkspace, [edited](const Globals& globals) {
    return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
      return learn_edit(engine, request, globals, *edited);
    });
  });
}

void add_question_commands(CommandLine& line) {
  auto words = std::make_shared<QuestionWords>();
  auto* questions = line.app().add_subcommand("question", "what only the user can answer");
  questions->require_subcommand(1);
  const auto add = [&](const char* name, const char* text) {
    auto* sub = questions->add_subcommand(name, text);
    line.on(sub, Place::kWorkspace, [words, name](const Globals& globals) {
      words->what = name;
      return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
        return run_question(engine.questions(request), engine.agents(request), globals, *words);
      });
    });
    return sub;
  };
  add("list", "all, in every stage");
  add("next", "the one that is to be answered now");
  auto* asking = add("ask", "queue a question");
  asking->add_option("text", words->text, "one question")->required();
  asking->add_option("--choice", words->question.choices, "one of the choices; once for each");
  asking->add_option("--fallback", words->question.fallback, "what is done without an answer");
  asking->add_option("--why", words->question.why, "what it is needed for");
  asking->add_flag("--urgent", words->urgent, "ask it now, not in a batch");
  auto* answering = add("answer", "answer one");
  answering->add_option("id", words->id, "which")->required();
  answering->add_option("text", words->text, "letter, number or words of a choice, or freely");
  answering->add_option("--arguments", words->arguments,
                        "of an approval: JSON in the place of those of the call, which is allowed with them");
}

}  // namespace

void add_adaptation(CommandLine& line) {
  add_belief_commands(line);
  add_question_commands(line);
}

}  // namespace weft::cli
