// Commands for authors of narrative games: states; and compactions.
#include "ports/files/file.h"
#include "surface/api/lists.h"
#include "surface/cli/commands.h"
#include "surface/cli/cut_list.h"
#include "surface/cli/style.h"

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

}  // namespace weft::cli
