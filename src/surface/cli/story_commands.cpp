// Commands for authors of narrative games: states; and compactions.
#include <algorithm>
#include <filesystem>

#include "ports/files/file_system.h"
#include "surface/api/operation.h"
#include "surface/cli/command_line.h"
#include "surface/cli/commands.h"
#include "surface/cli/output.h"

namespace weft::cli {
namespace {

// A text of the command line, a file's with @FILE, standard input with "-".
Result<std::string> text_of(Console& console, const std::string& given) {
  if (given == "-") return console.read_all();
  if (!given.empty() && given.front() == '@') return read_file(console.path(given.substr(1)));
  return given;
}

void print_view(const StateView& view, const Globals& globals) {
  if (globals.json)
    globals.console->line(to_json(view));
  else if (view.json.empty())
    globals.console->print("%s is at version %lld\n", view.name.c_str(), static_cast<long long>(view.version));
  else
    globals.console->print("%s\n", view.json.c_str());
}

Status show_log(Engine& engine, const RequestContext& request, const StateOptions& options, const Globals& globals) {
  WEFT_TRY(auto versions, engine.state(request, options.name).log(asked_for(options.limit)));
  const bool more = cut_list(versions, options.limit, true);
  if (globals.json) {
    globals.console->line(cut_list_json(versions, more));
    return {};
  }
  if (versions.empty()) globals.console->line("no versions yet");
  for (const StateVersion& one : versions)
    globals.console->print("%6lld  %s  %-10s  %s\n", static_cast<long long>(one.version), format_time(one.time).c_str(),
                           one.author.c_str(), one.operations.c_str());
  tell_of_more(globals, more);
  return {};
}

Status run_schema(Engine& engine, const RequestContext& request, const StateOptions& options, const Globals& globals) {
  if (options.drop && !options.text.empty())
    return invalid_argument("state schema: a schema and --drop do not go together");
  if (options.drop) {
    WEFT_CHECK(engine.state(request, options.name).set_schema_json("", options.author));
  } else if (!options.text.empty()) {
    WEFT_TRY(const auto text, text_of(*globals.console, options.text));
    if (text.empty()) return invalid_argument("state schema: it is empty", "--drop lifts the schema");
    WEFT_CHECK(engine.state(request, options.name).set_schema_json(text, options.author));
  }
  WEFT_TRY(const auto schema, engine.state(request, options.name).schema());
  if (globals.json)
    globals.console->line(schema.empty() ? "null" : schema);
  else
    globals.console->line(schema.empty() ? "no schema" : schema.c_str());
  return {};
}

Status run_state(Engine& engine, const RequestContext& request, const StateOptions& options, const Globals& globals) {
  if (options.what == "log") return show_log(engine, request, options, globals);
  if (options.what == "schema") return run_schema(engine, request, options, globals);
  Result<StateView> view = internal("");
  if (options.what == "get") {
    view = engine.state(request, options.name).read(options.version);
  } else if (options.what == "rollback") {
    view = engine.state(request, options.name).roll_back(options.version, options.author);
  } else {
    WEFT_TRY(const auto text, text_of(*globals.console, options.text));
    if (options.what == "put") {
      view = engine.state(request, options.name).put_json(text, options.author);
    } else {
      WEFT_TRY(auto change, BodyForm<StateChange>::read(text, engine.config()));
      if (change.author.empty()) change.author = options.author;
      view = engine.state(request, options.name).apply(change);
    }
  }
  if (!view.ok()) return view.error();
  print_view(*view, globals);
  return {};
}

void print_compaction(const Globals& globals, const Compaction& one) {
  const CompactionReport& report = one.report;
  globals.console->print("%s%s  %zu turns in short, %zu as they were said, %lld tokens → %lld, by %s\n", one.id.c_str(),
                         one.undone ? " (undone)" : "", report.turns_summarised, report.turns_kept,
                         static_cast<long long>(report.tokens_before), static_cast<long long>(report.tokens_after),
                         to_string(report.by).data());
  for (const std::string& problem : report.problems) globals.console->print("  %s\n", problem.c_str());
}

// The original words that a compaction stands for.
Status expand(const Globals& globals, Engine& engine, const RequestContext& request, const std::vector<Compaction>& all,
              const std::string& id) {
  for (const Compaction& one : all) {
    if (one.id != id) continue;
    WEFT_TRY(const auto originals, engine.memory(request).originals(one.summary.covers));
    if (globals.json) {
      globals.console->line(list_json(originals));
      return {};
    }
    std::vector<Message> messages;
    for (const StoredMessage& message : originals) messages.push_back(message.message);
    print_messages(*globals.console, messages);
    return {};
  }
  return not_found("compact: this session has no compaction " + id, "`weft compact --show` lists them");
}

Status run_compact(Engine& engine, const RequestContext& request, const Globals& globals,
                   const CompactOptions& options) {
  const SessionId session(globals.session);
  if (options.undo) {
    WEFT_TRY(const auto undone, engine.session(request, session).undo_compaction());
    globals.json ? globals.console->line(to_json(undone)) : print_compaction(globals, undone);
    return {};
  }
  if (options.show || !options.expand.empty()) {
    WEFT_TRY(const auto all, engine.session(request, session).compactions());
    if (!options.expand.empty()) return expand(globals, engine, request, all, options.expand);
    if (globals.json) {
      globals.console->line(list_json(all));
      return {};
    }
    if (all.empty()) globals.console->line("this session was not compacted");
    for (const Compaction& one : all) {
      print_compaction(globals, one);
      globals.console->print("%s\n", render_summary(one.summary).c_str());
    }
    return {};
  }
  WEFT_TRY(const auto how, options.how.made());
  WEFT_TRY(const auto done, engine.session(request, session).compact(how));
  if (globals.json) {
    globals.console->line(to_json(done));
    return {};
  }
  print_compaction(globals, done);
  globals.console->print("%s\n", render_summary(done.summary).c_str());
  return {};
}

}  // namespace

int state(const Globals& globals, const StateOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
    return run_state(engine, in_world(request, options.world), options, globals);
  });
}

int compact(const Globals& globals, const CompactOptions& options) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) {
    return run_compact(engine, request, globals, options);
  });
}

// Commands for what an author writes of a world: lore and quests, of a user or of a world that many share.

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kDrainPatience{10};

void say(const Globals& globals, const std::string& line) { globals.console->line(line); }

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
