#include "surface/access/access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "base/log.h"
#include "ports/files/file_system.h"
#include "text/json.h"

namespace weft {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error closed(const Access& access, std::string_view kind, std::string_view name) {
  return permission(fmt::format("the key \"{}\" does not open the memory of the {} \"{}\"", access.name, kind, name),
                    "`weft key list` shows whose memory it opens");
}

}  // namespace

std::string_view to_string(Right right) {
  switch (right) {
    case Right::kRead: return "read";
    case Right::kWrite: return "write";
    case Right::kAdmin: return "admin";
  }
  return {};
}

Status check_right(const Access& access, Right needed) {
  if (access.right >= needed) return {};
  return permission(fmt::format("the key \"{}\" may {} only, and this needs the right to {}", access.name,
                                to_string(access.right), to_string(needed)),
                    "use a key that was made with --right " + std::string(to_string(needed)));
}

Status check_scope(const Access& access, const Scope& scope) {
  if (!access.bound()) return {};
  const std::string& user = scope.user().str();
  if (scope.is_group() && !has(access.groups, scope.group().str())) return closed(access, "group", scope.group().str());
  const bool speaks = scope.is_group() && (user.empty() || access.users.empty());
  if (speaks || has(access.users, user)) return {};
  return closed(access, "user", user);
}

std::string_view default_user_of(const Access& access, std::string_view otherwise) {
  return access.users.size() == 1 ? std::string_view(access.users.front()) : otherwise;
}

Status check_may_change(const Access& access, std::string_view owner) {
  if (owner != "workspace" || !access.bound()) return {};
  return permission("the key \"" + access.name + "\" is for some users or groups, and this is everybody's",
                    "use a key without --for-user and --for-group");
}

namespace {

constexpr std::array kFields = {
    NamingField{"observe", "sender_id", NamedAs::kSpeaker},
    NamingField{"observe", "[].sender_id", NamedAs::kSpeaker},
    NamingField{"observe", "messages[].sender_id", NamedAs::kSpeaker},
    NamingField{"context", "messages[].sender_id", NamedAs::kSpeaker},
    NamingField{"context", "history[].sender_id", NamedAs::kSpeaker},
    NamingField{"end", "sender_id", NamedAs::kSpeaker},
    NamingField{"end", "sender_name", NamedAs::kLabel},
    NamingField{"end", "agent", NamedAs::kLabel},
    NamingField{"search", "who", NamedAs::kFilter},
    NamingField{"search", "where.user_id", NamedAs::kFilter},
    NamingField{"search", "where.group_id", NamedAs::kFilter},
    NamingField{"search", "where.sender_id", NamedAs::kFilter},
    NamingField{"cognitive_search_events", "target_user_id", NamedAs::kUser},
    NamingField{"cognitive_search_events", "target_group_id", NamedAs::kGroup},
    NamingField{"cognitive_search_events", "where.user_id", NamedAs::kFilter},
    NamingField{"cognitive_search_events", "where.group_id", NamedAs::kFilter},
    NamingField{"cognitive_search_events", "where.sender_id", NamedAs::kFilter},
    NamingField{"cognitive_get_profile", "entity_id", NamedAs::kEntity, "entity_type"},
    NamingField{"cognitive_search_profiles", "entity_id", NamedAs::kEntity, "entity_type"},
    NamingField{"profile", "{id}", NamedAs::kEntity, "{type}"},
    NamingField{"profile_history", "{id}", NamedAs::kEntity, "{type}"},
    NamingField{"profile_version", "{id}", NamedAs::kEntity, "{type}"},
    NamingField{"roll_back_profile", "{id}", NamedAs::kEntity, "{type}"},
    NamingField{"write_profile", "{id}", NamedAs::kEntity, "{type}"},
    NamingField{"teach_skill", "owner", NamedAs::kOwner},
    NamingField{"put_skill", "owner", NamedAs::kOwner},
    NamingField{"import_skill", "owner", NamedAs::kOwner},
    NamingField{"report", "owner", NamedAs::kOwner},
    NamingField{"count_task", "owner", NamedAs::kOwner},
    NamingField{"report", "outcome_by", NamedAs::kLabel},
    NamingField{"report", "steps[].agent", NamedAs::kLabel},
    NamingField{"count_task", "outcome_by", NamedAs::kLabel},
    NamingField{"count_task", "steps[].agent", NamedAs::kLabel},
    NamingField{"usage", "?by", NamedAs::kLabel},
    NamingField{"usage_of_all", "?by", NamedAs::kLabel},
    NamingField{"change_rule", "by", NamedAs::kLabel},
    NamingField{"change_skill", "by", NamedAs::kLabel},
    NamingField{"put_state", "author", NamedAs::kLabel},
    NamingField{"apply_state", "author", NamedAs::kLabel},
    NamingField{"roll_back_state", "author", NamedAs::kLabel},
    NamingField{"put_state_schema", "author", NamedAs::kLabel},
    // Of a plan of learning, which only keys for everybody may set.
    NamingField{"plan_learning", "scopes", NamedAs::kLabel},
};

// A text, or a whole number as models write ids of digits; nothing for what no reader takes as a name.
std::string name_in(std::string_view json) {
  if (json.starts_with('"')) return json_text(json).value_or({});
  return json.find_first_not_of("-0123456789") == std::string_view::npos ? std::string(json) : std::string();
}

using Visit = std::function<Status(std::string_view json)>;

// Calls `visit` with each value at a path such as "messages[].sender_id".
Status each_value(std::string_view json, std::string_view path, const Visit& visit) {
  if (path.empty()) return visit(json);
  const auto dot = path.find('.');
  std::string_view step = path.substr(0, dot);
  const std::string_view rest = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  const bool list = step.ends_with("[]");
  if (list) step.remove_suffix(2);
  if (!step.empty()) json = json.starts_with('{') ? json_member(json, step) : std::string_view();
  if (!list) return json.empty() ? Status() : each_value(json, rest, visit);
  if (!json.starts_with('[')) return {};
  for (const std::string_view element : json_elements(json)) WEFT_CHECK(each_value(element, rest, visit));
  return {};
}

Status check_scope_of(const Access& access, const Result<Scope>& scope) {
  return scope.ok() ? check_scope(access, *scope) : Status(scope.error());
}

Status check_owner(const Access& access, std::string_view owner) {
  constexpr std::string_view kUser = "user:", kGroup = "group:";
  if (owner == "workspace")
    return permission(
        "the key \"" + access.name + "\" is for some users or groups: what it brings cannot be everybody's",
        "leave out the owner");
  if (owner.starts_with(kUser)) return check_scope_of(access, Scope::of_user(owner.substr(kUser.size())));
  if (owner.starts_with(kGroup)) return check_scope_of(access, Scope::of_group(owner.substr(kGroup.size())));
  return {};  // not an owner: its reader says so
}

/// A call's caller, scope, path and body.
struct NamingCall {
  const Access& access;
  const Scope& scope;
  const Config& config;
  const std::map<std::string, std::string>& path;
  std::string_view body;

  Status each(std::string_view field, const std::function<Status(const std::string& name)>& check) const {
    if (field.starts_with('{')) {
      const auto found = path.find(std::string(field.substr(1, field.size() - 2)));
      return found == path.end() ? Status() : check(found->second);
    }
    return body.empty() ? Status()
                        : each_value(body, field, [&](std::string_view json) { return check(name_in(json)); });
  }
};

Status check_name(const NamingCall& call, const NamingField& field, const std::string& name) {
  if (name.empty()) return {};
  NamedAs as = field.as;
  if (as == NamedAs::kEntity) {
    std::string type;
    WEFT_CHECK(call.each(field.type, [&](const std::string& value) { return type = value, Status(); }));
    as = type == "group" ? NamedAs::kGroup : NamedAs::kUser;
  }
  switch (as) {
    case NamedAs::kSpeaker: return check_speaker(call.access, call.scope, name, call.config);
    case NamedAs::kOwner: return check_owner(call.access, name);
    case NamedAs::kUser: return check_scope_of(call.access, Scope::of_user(name));
    case NamedAs::kGroup: return check_scope_of(call.access, Scope::of_group(name));
    default: return {};
  }
}

// Settings copy what a member says in a group into the member's own memory.
bool reaches_private(const Config& config) { return config.cognitive.sender_view || config.cognitive.speaker_profiles; }

}  // namespace

std::span<const NamingField> naming_fields() { return kFields; }

Status check_speaker(const Access& access, const Scope& scope, std::string_view user, const Config& config) {
  if (!access.bound() || user.empty() || has(access.users, user)) return {};
  const bool of_group = scope.is_group() && access.users.empty();
  if (of_group && !reaches_private(config)) return {};
  const std::string who = "the key \"" + access.name + "\" does not speak for the user \"" + std::string(user) + "\"";
  if (!of_group) return permission(who, "`weft key list` shows for whom it speaks");
  return permission(who + ", into whose own memory the settings carry what is said in the group",
                    "make the key with --for-user, too, or set cognitive.sender_view and speaker_profiles to false");
}

Result<std::string> speaker_of_call(const Access& access, const Scope& scope, const Config& config, std::string named) {
  if (!named.empty() || !access.bound() || !scope.is_group() || !reaches_private(config)) return named;
  if (!scope.user().empty()) return scope.user().str();
  return permission(
      "the request does not say for whom it speaks, and the settings carry what is said in a group into "
      "the speaker's own memory",
      "name the user, with a key that was made with --for-user");
}

Status check_named(const Access& access, const Scope& scope, const Config& config, std::string_view call,
                   const std::map<std::string, std::string>& path, std::string_view body) {
  const bool names_somebody =
      std::any_of(kFields.begin(), kFields.end(), [call](const NamingField& field) { return field.call == call; });
  if (!access.bound() || !names_somebody) return {};
  // As deep as any reader may go: what this could not read nobody else reads either.
  const bool json = check_json(body, {.max_bytes = body.size() + 1, .max_depth = body.size() + 1}, "the body").ok();
  const auto start = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool has_parts = json && start != std::string_view::npos && (body[start] == '{' || body[start] == '[');
  const NamingCall made{access, scope, config, path, has_parts ? body.substr(start) : std::string_view()};
  for (const NamingField& field : kFields) {
    if (field.call != call) continue;
    WEFT_CHECK(made.each(field.field, [&](const std::string& name) { return check_name(made, field, name); }));
  }
  return {};
}

template <>
const Record<AuditEntry>& record<AuditEntry>() {
  static const auto made =
      Record<AuditEntry>("AuditEntry", "What was done to a workspace, and by whom.", RecordUse::kBoth)
          .field("time", &AuditEntry::time, "when")
          .field("who", &AuditEntry::who, "the key's name, or command", {.sparse = true})
          .field("from", &AuditEntry::from, "the client's address", {.sparse = true})
          .field("act", &AuditEntry::act, "what was asked")
          .field("what", &AuditEntry::what, "what was acted on, by ids", {.sparse = true})
          .field("whose", &AuditEntry::whose, "in which scope", {.sparse = true})
          .field("outcome", &AuditEntry::outcome, "done, or what was wrong");
  return made;
}

namespace {

// What a crash cut off must not run into the line that follows it.
bool ends_in_a_line(int file) {
  struct stat about{};
  if (::fstat(file, &about) != 0 || about.st_size == 0) return true;
  char last = 0;
  return ::pread(file, &last, 1, about.st_size - 1) == 1 && last == '\n';
}

Status append(const std::filesystem::path& path, std::string line) {
  const FileHandle file(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.open()) return file_error("opening", path);
  // Goes with the file: who looks for the end of the last line must not see half of another's.
  if (::flock(file.get(), LOCK_EX) != 0) return file_error("locking", path);
  if (!ends_in_a_line(file.get())) line.insert(line.begin(), '\n');
  line += '\n';
  if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) || ::fsync(file.get()) != 0)
    return file_error("writing", path);
  return {};
}

}  // namespace

void AuditLog::note(const AuditEntry& entry) const {
  const Status written = append(file_, to_json(entry));
  if (!written.ok()) log_error("audit", written.error().message);
}

}  // namespace weft
