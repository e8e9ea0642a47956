// Commands for what was learnt: rules, and changes of skills.
#include <CLI/CLI.hpp>

#include "growth/promotion_gate.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/cut_list.h"
#include "surface/cli/style.h"
#include "text/yaml_value.h"

namespace weft::cli {
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
Status show(const Globals& globals, const T& one) {
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

Status diff(const Growth& growth, const Globals& globals, const RuleOptions& options) {
  WEFT_TRY(const std::string text, growth.rule_diff(options.id, options.from, options.to));
  print_diff(globals, text);
  return {};
}

Status run_rule(const Growth& growth, const Globals& globals, const RuleOptions& options) {
  if (options.what == "list") return list_rules(growth, globals);
  if (options.what == "learn") return learn(growth, globals, options);
  if (options.what == "diff") return diff(growth, globals, options);
  if (options.what == "show") {
    WEFT_TRY(const Rule rule, growth.rule(options.id));
    return show(globals, rule);
  }
  RuleChange change = options.change;
  change.by = globals.user;
  for (const RuleAction action : kEnumValues<RuleAction>)
    if (to_string(action) == options.what) change.action = action;
  WEFT_TRY(const Rule rule, growth.change_rule(options.id, change));
  return show(globals, rule);
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
    return show(globals, judged);
  }
  WEFT_TRY(const auto all, growth.mutations());
  if (options.what == "list") return list_mutations(globals, all);
  for (const Mutation& one : all)
    if (one.id == options.id) return show(globals, one);
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

}  // namespace weft::cli
