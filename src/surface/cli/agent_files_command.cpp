// weft agent export: what was learnt, as files that other agents read.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/clock.h"
#include "base/strings.h"
#include "growth/agent_files.h"
#include "growth/rule_book.h"
#include "ports/files/file.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

struct AgentFileOptions {
  std::string folder = ".";
  std::vector<std::string> files, skills;
  bool write = false, undo = false, everybody = false;
};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Whether a file takes another one in, as Claude Code reads it.
bool takes_in(const fs::path& file, std::string_view other) {
  const auto text = read_file(file);
  if (!text.ok()) return false;
  for (const std::string_view line : lines_of(*text))
    if (trimmed(line) == "@" + std::string(other) || trimmed(line) == "@./" + std::string(other)) return true;
  return false;
}

// The files that are there; without any AGENTS.md, which most agents read.
std::vector<fs::path> usual_files(const fs::path& folder) {
  const fs::path agents = folder / "AGENTS.md", claude = folder / "CLAUDE.md";
  std::vector<fs::path> files;
  if (is_there(agents) || !is_there(claude)) files.push_back(agents);
  if (is_there(claude) && !(is_there(agents) && takes_in(claude, "AGENTS.md"))) files.push_back(claude);
  return files;
}

std::vector<fs::path> usual_skill_folders(const fs::path& folder) {
  std::vector<fs::path> folders;
  if (is_there(folder / ".claude") || is_there(folder / "CLAUDE.md")) folders.push_back(folder / ".claude" / "skills");
  if (is_there(folder / ".agents") || is_there(folder / "AGENTS.md") || folders.empty())
    folders.push_back(folder / ".agents" / "skills");
  return folders;
}

AgentFilePlaces places_of(const Globals& globals, const AgentFileOptions& options) {
  AgentFilePlaces places;
  places.folder = globals.console->path(options.folder);
  for (const std::string& file : options.files) places.rule_files.push_back(places.folder / file);
  for (const std::string& skills : options.skills) places.skill_folders.push_back(places.folder / skills);
  if (options.files.empty() && options.skills.empty()) {
    places.rule_files = usual_files(places.folder);
    places.skill_folders = usual_skill_folders(places.folder);
  }
  return places;
}

Result<AgentFileChanges> planned(const Growth& growth, const AgentFiles& files, const AgentFilePlaces& places,
                                 bool everybody) {
  WEFT_TRY(auto rules, growth.rules());
  WEFT_TRY(auto skills, growth.skills());
  // A file of a project is read by all who have it.
  if (everybody) {
    std::erase_if(rules, [](const Rule& rule) { return rule.owner != kWorkspaceOwner; });
    std::erase_if(skills, [](const Skill& skill) { return skill.owner != kWorkspaceOwner; });
  }
  return files.plan(places, rules, skills);
}

void tell(const Globals& globals, const AgentFileChanges& changes, bool written) {
  Console& out = *globals.console;
  if (globals.json) {
    JsonWriter json;
    json.begin('{');
    json.name("written");
    json.flag(written);
    json.name("files");
    json.begin('[');
    for (const FileChange& file : changes.files) json.text(file.path);
    json.end(']');
    json.name("notes");
    JsonForm<std::vector<std::string>>::write(changes.notes, json);
    json.name("diff");
    json.text(show_changes(changes));
    json.end('}');
    return out.line(json.take());
  }
  out.write(show_changes(changes));
  for (const std::string& note : changes.notes) out.print("! %s\n", note.c_str());
  if (changes.files.empty())
    out.line("nothing to change");
  else if (!written)
    out.line("nothing is written yet: --write does it, and --undo takes it back");
  else
    out.line(changes.undoes != 0 ? "taken back, but for what others changed" : "written; --undo takes it back");
}

Status run_export(const Growth& growth, const Globals& globals, const RequestContext& request,
                  const AgentFileOptions& options) {
  const AgentFilePlaces places = places_of(globals, options);
  if (!is_there(places.folder)) return not_found("export: there is no folder " + places.folder.string());
  const SystemClock clock;
  WEFT_TRY(auto files, AgentFiles::open(disk(), agent_files_log(globals.workspace, request.scope.key()), clock));
  WEFT_TRY(const auto changes,
           options.undo ? files.plan_undo(places.folder) : planned(growth, files, places, options.everybody));
  const bool write = options.undo || (options.write && !changes.files.empty());
  if (write) WEFT_CHECK(files.write(changes));
  tell(globals, changes, write);
  return {};
}

}  // namespace

void add_agent_files(CommandLine& line) {
  auto asked = std::make_shared<AgentFileOptions>();
  auto* exporting = line.app().get_subcommand("agent")->add_subcommand(
      "export",
      "show, and with --write write, what was learnt as files that other agents read: a section of AGENTS.md "
      "and CLAUDE.md, and skills as SKILL.md");
  exporting->add_option("folder", asked->folder, "of the project")->capture_default_str();
  exporting
      ->add_option("--file", asked->files,
                   "that gets the rules, in the folder; may be repeated; default: AGENTS.md and CLAUDE.md where "
                   "they are there, else AGENTS.md")
      ->allow_extra_args(false);
  exporting
      ->add_option("--skills", asked->skills,
                   "folder for skills, in the folder; may be repeated; default: .claude/skills and .agents/skills, by "
                   "the files of rules")
      ->allow_extra_args(false);
  exporting->add_flag("--everybody", asked->everybody,
                      "only what all users of the workspace may be told, nothing of your own");
  auto* writing = exporting->add_flag("--write", asked->write, "write it; without this it is only shown");
  exporting->add_flag("--undo", asked->undo, "take the newest writing to this folder back; what others changed stays")
      ->excludes(writing);
  line.on(exporting, Place::kWorkspace, [asked](const Globals& globals) {
    return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
      return run_export(engine.growth(request), globals, request, *asked);
    });
  });
}

}  // namespace weft::cli
