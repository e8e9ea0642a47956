// Commands for what an author writes of a world: lore and quests, of a user or of a world that many share.
#include <algorithm>
#include <filesystem>

#include "ports/files/file.h"
#include "surface/cli/commands.h"
#include "surface/cli/globals.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kDrainPatience{10};

void say(const Globals& globals, const std::string& line) { globals.console->line(line); }

Result<std::string> text_of(Console& console, const std::string& given) {
  if (given == "-") return console.read_all();
  if (!given.empty() && given.front() == '@') return read_file(console.path(given.substr(1)));
  return given;
}

void import_file(Engine& engine, const RequestContext& request, const fs::path& path, const std::string& name,
                 LoreReport& sum) {
  const auto bytes = read_file(path);
  const auto report = bytes.ok() ? engine.story(request).import_lore(*bytes, name) : Result<LoreReport>(bytes.error());
  if (!report.ok()) {
    sum.problems.push_back(name + ": " + report.error().message);
    return;
  }
  sum.imported += report->imported;
  sum.left_out += report->left_out;
  sum.problems.insert(sum.problems.end(), report->problems.begin(), report->problems.end());
}

// A file, or all of a folder that lore is written in.
Result<LoreReport> import_path(Engine& engine, const RequestContext& request, const fs::path& path) {
  LoreReport sum;
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path, failed)) {
      const std::string end = entry.path().extension().string();
      if (entry.is_regular_file() && (end == ".md" || end == ".txt" || end == ".json" || end == ".markdown"))
        files.push_back(entry.path());
    }
    if (failed) return not_found("lore: cannot read " + path.string() + ": " + failed.message());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files)
      import_file(engine, request, file, fs::relative(file, path).generic_string(), sum);
  } else {
    import_file(engine, request, path, path.filename().string(), sum);
  }
  if (sum.imported > 0) return sum;
  return invalid_argument(
      "lore: no entry was found in " + path.string() + (sum.problems.empty() ? "" : "; " + sum.problems.front()),
      "files end in .md, .txt or .json; examples/world.md shows one");
}

Status run_import(Engine& engine, const RequestContext& request, const Globals& globals, const std::string& path) {
  WEFT_TRY(const auto report, import_path(engine, request, globals.console->path(path)));
  if (globals.json) {
    say(globals, to_json(report));
  } else {
    say(globals, std::to_string(report.imported) + " entries taken, " + std::to_string(report.left_out) + " left out");
    for (const std::string& problem : report.problems) say(globals, "  " + problem);
  }
  return drain(globals, engine, kDrainPatience);
}

std::string line_of(const LoreEntry& entry) {
  std::string keys;
  for (const std::string& key : entry.keys) keys += (keys.empty() ? "" : ", ") + key;
  std::string line = entry.id + "  " + entry.title;
  if (!entry.enabled) line += "  (disabled)";
  if (entry.constant) line += "  (constant)";
  if (!keys.empty()) line += "  [" + keys + "]";
  return line;
}

Status run_list(Engine& engine, const RequestContext& request, const Globals& globals, const LoreOptions& options) {
  WEFT_TRY(const auto entries, engine.story(request).lore());
  if (options.what == "show") {
    for (const LoreEntry& entry : entries) {
      if (entry.id != options.id) continue;
      say(globals, globals.json ? to_json(entry) : line_of(entry) + "\n" + entry.text);
      return {};
    }
    return not_found("lore: there is no entry " + options.id, "`weft lore list` lists them");
  }
  if (globals.json) {
    say(globals, list_json(entries));
    return {};
  }
  if (entries.empty()) say(globals, "no lore");
  for (const LoreEntry& entry : entries) say(globals, line_of(entry));
  return {};
}

Status run_lore(Engine& engine, const RequestContext& request, const Globals& globals, const LoreOptions& options) {
  if (options.what == "import") return run_import(engine, request, globals, options.path);
  if (options.what == "list" || options.what == "show") return run_list(engine, request, globals, options);
  if (options.what == "set") {
    WEFT_TRY(const auto json, text_of(*globals.console, options.json));
    WEFT_TRY(auto entry, parse_lore_entry(json));
    entry.id = options.id;
    WEFT_TRY(const auto kept, engine.story(request).put_lore(entry));
    say(globals, globals.json ? to_json(kept) : line_of(kept));
    return drain(globals, engine, kDrainPatience);
  }
  if (options.id.empty() == options.file.empty())
    return invalid_argument("lore delete: an id, or --file for all that came from a file");
  const Story story = engine.story(request);
  WEFT_TRY(const auto gone, options.id.empty() ? story.remove_lore_file(options.file) : story.remove_lore(options.id));
  say(globals, globals.json ? "{\"deleted\":" + std::to_string(gone) + "}" : std::to_string(gone) + " deleted");
  return {};
}

void print_quests(const Globals& globals, const std::vector<Quest>& quests) {
  if (globals.json) return say(globals, list_json(quests));
  if (quests.empty()) say(globals, "no quests");
  for (const Quest& quest : quests) {
    globals.console->print("%-12s %-20s %s%s%s\n", std::string(to_string(quest.status)).c_str(), quest.id.c_str(),
                           quest.title.c_str(), quest.progress.empty() ? "" : "  ", quest.progress.c_str());
  }
}

Result<std::vector<Quest>> run_quest(Engine& engine, const RequestContext& request, const Globals& globals,
                                     const QuestOptions& options) {
  if (options.what == "list") return engine.story(request).quests();
  if (options.what == "delete") return engine.story(request).remove_quest(options.id);
  if (options.what == "import") {
    WEFT_TRY(const auto text, read_file(globals.console->path(options.file)));
    return engine.story(request).import_quests(text, options.file);
  }
  const auto status = parse_quest_status(options.status);
  if (!status)
    return invalid_argument("quest: " + options.status + " is no status",
                            "one of: available, in_progress, completed, failed");
  return engine.story(request).move_quest(options.id, *status, options.note);
}

}  // namespace

RequestContext in_world(RequestContext request, const std::string& world) {
  request.of_world = !world.empty();
  request.world = world;
  return request;
}

int lore(const Globals& globals, const LoreOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
    return run_lore(engine, in_world(request, options.world), globals, options);
  });
}

int quest(const Globals& globals, const QuestOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const auto quests, run_quest(engine, in_world(request, options.world), globals, options));
    print_quests(globals, quests);
    return {};
  });
}

}  // namespace weft::cli
