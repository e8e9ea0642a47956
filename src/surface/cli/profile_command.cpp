// weft profile: what is known of users and groups over the long run.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "surface/api/lists.h"
#include "surface/cli/commands.h"
#include "text/line_diff.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kDrainPatience{60};

// "user:ann" as the list shows it.
std::optional<EntityKey> read_entity(const std::string& word) {
  const auto colon = word.find(':');
  if (colon == std::string::npos || colon + 1 == word.size()) return std::nullopt;
  const auto type = parse_entity_type(word.substr(0, colon));
  return type ? std::optional(EntityKey{*type, word.substr(colon + 1)}) : std::nullopt;
}

struct ProfileWords {
  std::optional<EntityKey> entity;
  std::uint64_t version = 0;  // 0: none was named
};

Result<ProfileWords> read_words(const ProfileOptions& options) {
  ProfileWords read;
  for (const std::string& word : options.words) {
    const bool number = !word.empty() && word.size() < 19 && word.find_first_not_of("0123456789") == std::string::npos;
    if (number && read.version == 0 && std::stoull(word) > 0) {
      read.version = std::stoull(word);
    } else if (auto entity = read_entity(word); entity && !read.entity && options.id.empty()) {
      read.entity = std::move(entity);
    } else {
      return invalid_argument(
          "profile " + options.what + ": \"" + word + "\" does not fit here",
          "name a profile as `weft profile list` shows it, such as user:ann, and a version by its number");
    }
  }
  const bool wants_version = options.what == "diff" || options.what == "rollback";
  if (read.version == 0 ? wants_version : !wants_version && options.what != "show")
    return invalid_argument("profile " + options.what + (wants_version ? ": which version?" : " takes no version"),
                            "`weft profile history` lists them");
  return read;
}

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

Status list_profiles(const Globals& globals, Engine& engine) {
  std::vector<ProfileSummary> all;
  for (const EntityType type : {EntityType::kUser, EntityType::kGroup}) {
    WEFT_TRY(const auto some, engine.upkeep().profiles(type));
    all.insert(all.end(), some.begin(), some.end());
  }
  if (globals.json) {
    globals.console->line(list_json(all));
    return {};
  }
  if (all.empty()) globals.console->line("no profiles yet");
  for (const ProfileSummary& one : all)
    globals.console->print("%-30s %-20s %s%s\n", one.entity.str().c_str(), one.name.c_str(),
                           format_time(one.updated_at).c_str(),
                           one.problem.empty() ? "" : ("  cannot be read: " + one.problem).c_str());
  return {};
}

Status show_versions(const Globals& globals, Engine& engine, const RequestContext& scope, const EntityKey& entity) {
  WEFT_TRY(const auto versions, engine.profiles(scope).history(entity));
  if (globals.json) {
    globals.console->line(list_json(versions));
    return {};
  }
  if (versions.empty()) globals.console->line("no kept versions");
  for (const ProfileVersion& one : versions)
    globals.console->print("%6llu  %s  %s\n", static_cast<unsigned long long>(one.version),
                           format_time(one.taken).c_str(),
                           one.origin == "edit" ? "written by a person" : "written by weft");
  return {};
}

Status run_profile(const Globals& globals, Engine& engine, const ProfileOptions& options, const EntityKey& entity,
                   std::uint64_t version) {
  if (options.what == "list") return list_profiles(globals, engine);
  WEFT_TRY(const auto scope, scope_of(entity));
  if (options.what == "history") return show_versions(globals, engine, scope, entity);
  if (options.what == "rollback") {
    WEFT_TRY(const auto now, engine.profiles(scope).roll_back(version, entity));
    globals.json ? globals.console->line(to_json(now))
                 : static_cast<void>(globals.console->print("%s is as in version %llu again\n", entity.str().c_str(),
                                                            static_cast<unsigned long long>(version)));
    return drain(globals, engine, kDrainPatience);
  }
  if (options.what == "diff") {
    WEFT_TRY(const auto before, engine.profiles(scope).version(version, entity));
    WEFT_TRY(const auto now, engine.profiles(scope).read(entity));
    const std::string diff = show_diff(line_diff(before.body, now.body));
    if (globals.json) {
      globals.console->line(nlohmann::json{{"version", version}, {"diff", diff}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace));
      return {};
    }
    globals.console->write(diff.empty() ? "nothing has changed since\n" : diff.c_str());
    return {};
  }
  WEFT_TRY(const auto shown,
           version == 0 ? engine.profiles(scope).read(entity) : engine.profiles(scope).version(version, entity));
  if (globals.json)
    globals.console->line(to_json(shown));
  else
    globals.console->print("%s", shown.body.c_str());
  return {};
}

// The engine is closed while a person edits, so that others can use the workspace; it notices the edit when it opens.
int edit_profile(const Globals& globals, const EntityKey& entity) {
  std::string path;
  const auto find = [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto scope, scope_of(entity));
    WEFT_TRY(const std::string file, engine.profiles(scope).path(entity));
    path = std::filesystem::absolute(file).string();  // a server's folder may be another than the command's
    const auto there = engine.profiles(scope).read(entity);
    if (there.ok() || there.error().code == ErrorCode::kCorrupt) return {};
    WEFT_TRY(const auto made, engine.profiles(scope).write("# Profile\n", entity));
    return {};
  };
  if (const int code = with_engine(globals, find); code != kDone || path.empty())
    return code;  // failed, or handed over
  if (const Status edited = globals.console->edit(path); !edited.ok()) return report(globals, edited.error());
  return with_engine(globals, [&](Engine& engine, const RequestContext&) -> Status {
    WEFT_TRY(const auto scope, scope_of(entity));
    WEFT_TRY(const auto read, engine.profiles(scope).read(entity));
    return drain(globals, engine, kDrainPatience);
  });
}

}  // namespace

int profile(const Globals& globals, const ProfileOptions& options) {
  const auto words = read_words(options);
  if (!words.ok()) {
    (void)report(globals, words.error());
    return kWrongUse;
  }
  const auto entity = words->entity ? Result<EntityKey>(*words->entity) : entity_of(globals, options);
  if (!entity.ok()) return report(globals, entity.error());
  if (options.what == "edit") return edit_profile(globals, *entity);
  return with_engine(globals, [&](Engine& engine, const RequestContext&) {
    return run_profile(globals, engine, options, *entity, words->version);
  });
}

}  // namespace weft::cli
