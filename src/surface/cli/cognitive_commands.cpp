// Commands of the cognitive memory: ends of turns, tools, migration; and of the queue, which they fill.
#include "ports/files/end_summaries.h"
#include "ports/files/file_system.h"
#include "surface/api/lists.h"
#include "surface/api/tools.h"
#include "surface/cli/commands.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kDrainPatience{60};

struct MigrationCount {
  std::size_t queued = 0, known = 0;
};

// An entry keeps its id whatever stands around it, so that a second run finds it done.
Result<bool> migrate_entry(Engine& engine, const Globals& globals, const EndSummary& entry) {
  Globals own = globals;
  // What was done in a group was not said by whoever migrates it.
  if (!entry.group_id.empty()) own.user = Globals().user;
  if (!entry.group_id.empty()) own.group = entry.group_id;
  if (!entry.user_id.empty()) own.user = entry.user_id;
  WEFT_TRY(const auto request, request_of(own));
  WEFT_TRY(const auto report,
           engine.memory(request).import_summary(
               entry.summary, entry.has_time ? std::optional<Time>(entry.time) : std::nullopt, entry.place));
  return report.queued;
}

Status run_migration(Engine& engine, const Globals& globals, const MigrateOptions& options) {
  WEFT_TRY(const std::string text, read_file(globals.console->path(options.file)));
  ReadSummaries read = read_summaries(text);
  MigrationCount count;
  for (const auto& [place, entry] : read.entries) {
    const auto done = migrate_entry(engine, globals, entry);
    if (!done.ok()) {
      if (done.error().code != ErrorCode::kInvalidArgument && done.error().code != ErrorCode::kTooLarge)
        return done.error();
      read.skipped.push_back({place, done.error().message});
      continue;
    }
    ++(*done ? count.queued : count.known);
    if ((count.queued + count.known) % 1000 == 0)
      globals.console->complain("%zu of %zu\n", count.queued + count.known, read.entries.size());
  }
  WEFT_CHECK(drain(globals, engine, std::chrono::minutes(60)));
  if (globals.json) {
    std::string skipped;
    for (const SkippedSummary& one : read.skipped)
      skipped +=
          (skipped.empty() ? "" : ",") + ("{\"place\":" + std::to_string(one.place)) + ",\"why\":\"" + one.why + "\"}";
    globals.console->line("{\"written\":" + std::to_string(count.queued) + ",\"known\":" + std::to_string(count.known) +
                          ",\"skipped\":[" + skipped + "]}");
    return {};
  }
  globals.console->print("%zu summaries became events, %zu were there already, %zu were skipped\n", count.queued,
                         count.known, read.skipped.size());
  for (const SkippedSummary& one : read.skipped)
    globals.console->print("  entry %zu: %s\n", one.place, one.why.c_str());
  return {};
}

}  // namespace

int end(const Globals& globals, const Words<EndRequest>& given) {
  const auto made = given.made();
  if (!made.ok()) return report(globals, made.error());
  const EndRequest& what = *made;
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const auto done, engine.session(request, SessionId(globals.session)).end(what));
    WEFT_CHECK(drain(globals, engine, kDrainPatience));
    if (globals.json) {
      globals.console->line(to_json(done));
      return {};
    }
    for (const std::string& notice : done.notices) globals.console->complain("weft: %s\n", notice.c_str());
    globals.console->line(done.queued ? ("kept as event " + done.event_id).c_str() : "nothing to keep");
    return {};
  });
}

int tool(const Globals& globals, const std::string& name, const std::string& arguments) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(globals, engine);
    WEFT_TRY(const auto answer, call_tool({engine, request, SessionId(globals.session), Access{}}, name, arguments));
    globals.console->line(answer);
    return drain(globals, engine, kDrainPatience);
  });
}

int migrate(const Globals& globals, const MigrateOptions& options) {
  return with_engine(globals,
                     [&](Engine& engine, const RequestContext&) { return run_migration(engine, globals, options); });
}

int queue_show(const Globals& globals, const std::string& job) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto jobs, engine.upkeep().jobs());
    for (const JobInfo& one : jobs) {
      if (one.id.str() != job) continue;
      if (globals.json) {
        globals.console->line(list_json(std::span<const JobInfo>(&one, 1)));
        return {};
      }
      globals.console->print("%s\nkind %s, %s since %s, %d attempts%s\n%s\n", one.id.str().c_str(), one.kind.c_str(),
                             one.state.c_str(), one.created.c_str(), one.attempts,
                             one.reason.empty() ? "" : (", because " + one.reason).c_str(), one.payload.c_str());
      return {};
    }
    return not_found("no job " + job, "`weft queue list` lists the jobs");
  });
}

int queue_purge(const Globals& globals, const std::string& job, bool all) {
  if (job.empty() && !all) {
    (void)report(globals, invalid_argument("queue purge: name a job, or say --all"));
    return kWrongUse;
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto gone, engine.upkeep().purge_failed(JobId(all ? "" : job)));
    if (globals.json)
      globals.console->line("{\"purged\":" + std::to_string(gone) + "}");
    else
      globals.console->print("%zu failed jobs are gone\n", gone);
    return {};
  });
}

}  // namespace weft::cli
