// Commands of the cognitive memory: ends of turns, profiles, tools, migration.
#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "ports/files/end_summaries.h"
#include "ports/files/file.h"
#include "surface/api/json.h"
#include "surface/api/tools.h"
#include "surface/cli/commands.h"
#include "surface/cli/style.h"
#include "text/line_diff.h"
#include "text/time_bounds.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kDrainPatience{60};

Result<EntityKey> entity_of(const Globals& globals, const ProfileOptions& options) {
  const auto type = parse_entity_type(options.type);
  if (!type) return invalid_argument("--type " + options.type + " is neither user nor group");
  if (!options.id.empty()) return EntityKey{*type, options.id};
  if (!globals.group.empty()) return EntityKey{EntityType::kGroup, globals.group};
  return EntityKey{EntityType::kUser, globals.user};
}

// The operator of a workspace may read every profile: the scope is that of the profile.
Result<RequestContext> scope_of(const EntityKey& entity) {
  auto scope =
      entity.type == EntityType::kGroup ? Scope::group_of(GroupId(entity.id)) : Scope::private_of(UserId(entity.id));
  if (!scope.ok()) return scope.error();
  return RequestContext{*scope, {}, {}};
}

Status list_profiles(Engine& engine, bool json) {
  std::vector<ProfileSummary> all;
  for (const EntityType type : {EntityType::kUser, EntityType::kGroup}) {
    WEFT_TRY(const auto some, engine.list_profiles(type));
    all.insert(all.end(), some.begin(), some.end());
  }
  if (json) {
    print_line(to_json(std::span<const ProfileSummary>(all)));
    return {};
  }
  if (all.empty()) std::puts("no profiles yet");
  for (const ProfileSummary& one : all)
    std::printf("%-30s %-20s %s%s\n", one.entity.str().c_str(), one.name.c_str(), format_time(one.updated_at).c_str(),
                one.problem.empty() ? "" : ("  cannot be read: " + one.problem).c_str());
  return {};
}

Status show_versions(Engine& engine, const RequestContext& scope, const EntityKey& entity, bool json) {
  WEFT_TRY(const auto versions, engine.profile_history(scope, entity));
  if (json) {
    print_line(to_json(std::span<const ProfileVersion>(versions)));
    return {};
  }
  if (versions.empty()) std::puts("no kept versions");
  for (const ProfileVersion& one : versions)
    std::printf("%6llu  %s  %s\n", static_cast<unsigned long long>(one.version), format_time(one.taken).c_str(),
                one.origin == "edit" ? "written by a person" : "written by weft");
  return {};
}

Status run_profile(Engine& engine, const ProfileOptions& options, const EntityKey& entity, bool json) {
  if (options.what == "list") return list_profiles(engine, json);
  WEFT_TRY(const auto scope, scope_of(entity));
  if (options.what == "history") return show_versions(engine, scope, entity, json);
  if (options.what == "rollback") {
    WEFT_TRY(const auto now, engine.roll_back_profile(scope, entity, options.version));
    json ? print_line(to_json(now))
         : static_cast<void>(std::printf("%s is as in version %llu again\n", entity.str().c_str(),
                                         static_cast<unsigned long long>(options.version)));
    return engine.drain(kDrainPatience);
  }
  if (options.what == "diff") {
    WEFT_TRY(const auto before, engine.profile_version(scope, entity, options.version));
    WEFT_TRY(const auto now, engine.profile(scope, entity));
    const std::string diff = show_diff(line_diff(before.body, now.body));
    std::fputs(diff.empty() ? "nothing has changed since\n" : diff.c_str(), stdout);
    return {};
  }
  WEFT_TRY(const auto shown, options.version == 0 ? engine.profile(scope, entity)
                                                  : engine.profile_version(scope, entity, options.version));
  if (json)
    print_line(to_json(shown));
  else
    std::printf("%s", shown.body.c_str());
  return {};
}

// The engine is closed while a person edits, so that others can use the workspace; it notices the edit when it opens.
int edit_profile(const Globals& globals, const EntityKey& entity) {
  std::string path;
  const auto find = [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto scope, scope_of(entity));
    WEFT_TRY(path, engine.profile_path(scope, entity));
    const auto there = engine.profile(scope, entity);
    if (there.ok() || there.error().code == ErrorCode::kCorrupt) return {};
    WEFT_TRY(const auto made, engine.write_profile(scope, entity, "# Profile\n"));
    return {};
  };
  if (const int code = with_engine(globals, find); code != kDone) return code;
  const char* editor = std::getenv("VISUAL") != nullptr ? std::getenv("VISUAL") : std::getenv("EDITOR");
  std::string quoted;
  for (const char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  if (std::system(((editor != nullptr ? editor : "vi") + std::string(" '") + quoted + "'").c_str()) != 0)
    return report(unavailable("the editor ended with an error", "set EDITOR"), globals.json);
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto scope, scope_of(entity));
    WEFT_TRY(const auto read, engine.profile(scope, entity));
    return engine.drain(kDrainPatience);
  });
}

struct MigrationCount {
  std::size_t queued = 0, known = 0;
};

// An entry keeps its id whatever stands around it, so that a second run finds it done.
Result<bool> migrate_entry(Engine& engine, const Globals& globals, const EndSummary& entry) {
  Globals own = globals;
  if (!entry.group_id.empty()) own.group = entry.group_id;
  if (!entry.user_id.empty()) own.user = entry.user_id;
  WEFT_TRY(const auto request, request_of(own));
  WEFT_TRY(const auto report,
           engine.import_summary(request, entry.summary,
                                 entry.has_time ? std::optional<Time>(entry.time) : std::nullopt, entry.place));
  return report.queued;
}

Status run_migration(Engine& engine, const Globals& globals, const MigrateOptions& options) {
  WEFT_TRY(const std::string text, read_file(options.file));
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
      std::fprintf(stderr, "%zu of %zu\n", count.queued + count.known, read.entries.size());
  }
  WEFT_CHECK(engine.drain(std::chrono::minutes(60)));
  if (globals.json) {
    std::string skipped;
    for (const SkippedSummary& one : read.skipped)
      skipped +=
          (skipped.empty() ? "" : ",") + ("{\"place\":" + std::to_string(one.place)) + ",\"why\":\"" + one.why + "\"}";
    print_line("{\"written\":" + std::to_string(count.queued) + ",\"known\":" + std::to_string(count.known) +
               ",\"skipped\":[" + skipped + "]}");
    return {};
  }
  std::printf("%zu summaries became events, %zu were there already, %zu were skipped\n", count.queued, count.known,
              read.skipped.size());
  for (const SkippedSummary& one : read.skipped) std::printf("  entry %zu: %s\n", one.place, one.why.c_str());
  return {};
}

}  // namespace

int end(const Globals& globals, const EndOptions& options) {
  EndRequest what;
  what.action_summary = options.action_summary;
  what.new_info = options.new_info;
  what.request_id = options.request_id;
  what.sender_name = options.sender;
  what.agent = options.agent;
  what.location = options.location;
  what.timezone = options.timezone;
  what.force = options.force;
  if (!options.time.empty()) {
    const auto time = parse_time(options.time);
    if (!time.ok()) {
      (void)report(time.error(), globals.json);
      return kWrongUse;
    }
    what.time = *time;
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    WEFT_TRY(const auto done, engine.end(request, SessionId(globals.session), what));
    WEFT_CHECK(engine.drain(kDrainPatience));
    if (globals.json) {
      print_line(to_json(done));
      return {};
    }
    for (const std::string& notice : done.notices) std::fprintf(stderr, "weft: %s\n", notice.c_str());
    std::puts(done.queued ? ("kept as event " + done.event_id).c_str() : "nothing to keep");
    return {};
  });
}

int profile(const Globals& globals, const ProfileOptions& options) {
  const auto entity = entity_of(globals, options);
  if (!entity.ok()) return report(entity.error(), globals.json);
  if (options.what == "edit") return edit_profile(globals, *entity);
  return with_engine(globals, [&](Engine& engine, const RequestContext&) {
    return run_profile(engine, options, *entity, globals.json);
  });
}

int tool(const Globals& globals, const std::string& name, const std::string& arguments) {
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    wait_for_models(engine);
    WEFT_TRY(const auto answer, call_tool(engine, request, SessionId(globals.session), name, arguments));
    print_line(answer);
    return engine.drain(kDrainPatience);
  });
}

int erase(const Globals& globals, const EraseOptions& options) {
  EraseRequest what;
  what.everything = options.everything;
  for (const std::string& id : options.messages) what.messages.emplace_back(id);
  if (!options.before.empty()) {
    const auto bounds = read_time_bounds(options.before, SystemClock().now());
    if (!bounds.ok()) {
      (void)report(bounds.error(), globals.json);
      return kWrongUse;
    }
    what.before = bounds->from ? bounds->from : bounds->to;
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext& request) -> Status {
    if (!options.verify.empty()) {
      WEFT_TRY(const auto check, engine.verify_erasure(options.verify));
      if (globals.json)
        print_line("{\"digests\":" + std::to_string(check.digests) + ",\"found\":" + std::to_string(check.found) + "}");
      else
        std::printf("%zu of %zu erased things are back\n", check.found, check.digests);
      return check.clean() ? Status() : Status(conflict("something that was erased is there again"));
    }
    WEFT_TRY(const auto receipt, engine.erase(request, what));
    WEFT_CHECK(engine.drain(kDrainPatience));
    if (globals.json) {
      print_line(to_json(receipt));
      return {};
    }
    std::printf(
        "erased %zu messages, %zu items, %zu topics, %zu jobs; %zu profile files changed or gone\n"
        "searched %zu files: %zu traces left\nreceipt %s (`weft erase --verify %s`)\n",
        receipt.messages, receipt.items, receipt.topics, receipt.jobs, receipt.profile_files, receipt.files_searched,
        receipt.traces_found, receipt.id.c_str(), receipt.id.c_str());
    return {};
  });
}

int migrate(const Globals& globals, const MigrateOptions& options) {
  return with_engine(globals,
                     [&](Engine& engine, const RequestContext&) { return run_migration(engine, globals, options); });
}

int queue_show(const Globals& globals, const std::string& job) {
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto jobs, engine.jobs());
    for (const JobInfo& one : jobs) {
      if (one.id.str() != job) continue;
      if (globals.json) {
        print_line(to_json(std::span(&one, 1)));
        return {};
      }
      std::printf("%s\nkind %s, %s since %s, %d attempts%s\n%s\n", one.id.str().c_str(), one.kind.c_str(),
                  one.state.c_str(), one.created.c_str(), one.attempts,
                  one.reason.empty() ? "" : (", because " + one.reason).c_str(), one.payload.c_str());
      return {};
    }
    return not_found("no job " + job, "`weft queue list` lists the jobs");
  });
}

int queue_purge(const Globals& globals, const std::string& job, bool all) {
  if (job.empty() && !all) {
    (void)report(invalid_argument("queue purge: name a job, or say --all"), globals.json);
    return kWrongUse;
  }
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto gone, engine.purge_failed(JobId(all ? "" : job)));
    if (globals.json)
      print_line("{\"purged\":" + std::to_string(gone) + "}");
    else
      std::printf("%zu failed jobs are gone\n", gone);
    return {};
  });
}

}  // namespace weft::cli
