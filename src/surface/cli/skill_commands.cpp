// Commands for skills: procedures that were learnt, taught or imported.
#include <CLI/CLI.hpp>

#include "growth/promotion_gate.h"
#include "growth/skill_folder.h"
#include "model/growth_records.h"
#include "ports/files/file_system.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "text/yaml_value.h"

namespace weft::cli {
namespace {

struct SkillOptions {
  std::string what, id, why, file, name, folder;
  bool everybody = false;
  std::int64_t from = 0, to = 0, version = 0;
};

// A record for programs as JSON, for people as the YAML of its file.
Status show(const Globals& globals, const Skill& skill) {
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
  return show(globals, skill);
}

Status import_folder(const Growth& growth, const Globals& globals, const SkillOptions& options) {
  WEFT_TRY(SkillFolder folder, read_skill_folder(disk(), globals.console->path(options.folder)));
  if (options.everybody) folder.owner = "workspace";
  WEFT_TRY(const Skill skill, growth.import_skill(folder));
  globals.made->push_back("skill " + skill.skill_id);
  return show(globals, skill);
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

Status diff(const Growth& growth, const Globals& globals, const SkillOptions& options) {
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
  if (options.what == "diff") return diff(growth, globals, options);
  if (options.what == "show") {
    WEFT_TRY(const Skill skill, growth.skill(options.id));
    return show(globals, skill);
  }
  SkillChange change{SkillAction::kRetire, globals.user, options.why, options.version};
  for (const SkillAction action : kEnumValues<SkillAction>)
    if (to_string(action) == options.what) change.action = action;
  WEFT_TRY(const Skill skill, growth.change_skill(options.id, change));
  return show(globals, skill);
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

}  // namespace weft::cli
