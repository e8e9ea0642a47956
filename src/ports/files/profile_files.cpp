#include "ports/files/profile_files.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdio>

#include "base/log.h"
#include "ports/files/file.h"
#include "ports/files/profile_names.h"
#include "text/front_matter.h"

namespace weft {
namespace {

constexpr std::string_view kEnd = ".md";
constexpr std::size_t kLocksBeforeSweep = 1024;

std::string_view folder_name(EntityType type) { return type == EntityType::kUser ? "users" : "groups"; }

std::string digest(std::string_view content) {
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(content.data(), content.size())));
  return hex;
}

// The file's content; nothing if there is none.
Result<std::optional<std::string>> read_current(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && static_cast<std::uint64_t>(info.st_size) > ProfileFiles::kMaxBytes) {
    return too_large(path.string() + " has " + std::to_string(info.st_size) + " bytes, more than " +
                         std::to_string(ProfileFiles::kMaxBytes),
                     "shorten it by hand, or take back an earlier version");
  }
  auto content = read_file(path);
  if (content.ok()) return std::optional(std::move(content).value());
  if (content.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
  return content.error();
}

// A person who takes the write permission away means it, although a rename would go through.
Status check_writable(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || (info.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) != 0) return {};
  return permission(path.string() + " is read-only; nothing was changed", "chmod u+w it to let Weft write it again");
}

Error in_file(const std::filesystem::path& path, const Error& error) {
  return {error.code, path.string() + ": " + error.message, error.hint};
}

Error no_profile(const EntityKey& entity) {
  return not_found("there is no profile of " + entity.str(), "`weft profile list` shows the profiles");
}

// Whose profile a file of the folder is. Names that were shortened do not tell; then the file must.
std::optional<std::string> id_of(const std::filesystem::path& path, std::string_view content) {
  const std::string name = path.stem().string();
  if (auto id = profile_id_of(name)) return id;
  const auto document = parse_front_matter(content);
  const auto* entry = document.ok() ? document->find("entity_id") : nullptr;
  if (entry == nullptr || entry->values.size() != 1) return std::nullopt;
  const auto expected = profile_file_name(entry->values.front());
  return expected.ok() && *expected == name ? std::optional(entry->values.front()) : std::nullopt;
}

ProfileEntry entry_of(EntityType type, const std::filesystem::path& path) {
  ProfileEntry entry;
  entry.entity = {type, path.stem().string()};
  const auto content = read_current(path);
  if (!content.ok() || !content->has_value()) {
    entry.problem = content.ok() ? "it was removed meanwhile" : content.error().message;
    return entry;
  }
  entry.bytes = (*content)->size();
  const auto id = id_of(path, **content);
  if (!id) {
    entry.problem = "the file's name is not the one of an id, and the file does not say whose it is";
    return entry;
  }
  entry.entity.id = *id;
  const auto profile = parse_profile(**content, entry.entity);
  if (!profile.ok()) {
    entry.problem = profile.error().message;
    return entry;
  }
  entry.name = profile->name;
  entry.updated_at = profile->updated_at;
  return entry;
}

void remove_torn_writes(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::directory_iterator at(folder, code);
  for (; !code && at != std::filesystem::directory_iterator(); at.increment(code)) {
    if (is_torn_write(at->path())) ::unlink(at->path().c_str());
  }
}

}  // namespace

Result<std::unique_ptr<ProfileFiles>> ProfileFiles::open(std::filesystem::path root, std::size_t keep) {
  for (const EntityType type : {EntityType::kUser, EntityType::kGroup}) {
    WEFT_CHECK(make_folder(root / folder_name(type)));
    WEFT_CHECK(make_folder(root / "history" / folder_name(type)));
    remove_torn_writes(root / folder_name(type));
  }
  return std::unique_ptr<ProfileFiles>(new ProfileFiles(std::move(root), std::max<std::size_t>(keep, 1)));
}

std::shared_ptr<std::mutex> ProfileFiles::lock_of(const std::string& name) {
  auto locks = locks_.lock();
  if (locks->size() > kLocksBeforeSweep) std::erase_if(*locks, [](const auto& lock) { return lock.second.expired(); });
  auto& kept = (*locks)[name];
  auto mutex = kept.lock();
  if (!mutex) kept = mutex = std::make_shared<std::mutex>();
  return mutex;
}

Result<ProfileFiles::Place> ProfileFiles::place_of(const EntityKey& entity) {
  WEFT_TRY(const auto file, path_of(entity));
  WEFT_TRY(const std::string name, profile_file_name(entity.id));
  return Place{file, ProfileHistory(root_ / "history" / folder_name(entity.type) / name), lock_of(file.string())};
}

Result<std::filesystem::path> ProfileFiles::path_of(const EntityKey& entity) const {
  WEFT_TRY(const std::string name, profile_file_name(entity.id));
  return root_ / folder_name(entity.type) / (name + std::string(kEnd));
}

Result<std::vector<ProfileEntry>> ProfileFiles::list(EntityType type) const {
  std::vector<ProfileEntry> entries;
  std::error_code code;
  std::filesystem::directory_iterator at(root_ / folder_name(type), code);
  for (; !code && at != std::filesystem::directory_iterator(); at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(kEnd) && !name.starts_with('.')) entries.push_back(entry_of(type, at->path()));
  }
  if (code) {
    errno = code.value();
    return file_error("list", root_ / folder_name(type));
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.entity < b.entity; });
  return entries;
}

// Brings the history up to what stands in the file: finishes a write that was cut off, and keeps an edit.
Status ProfileFiles::settle(Place& place, const std::optional<std::string>& current, Time now) {
  ProfileHistory& history = place.history;
  WEFT_TRY(auto written, history.written());
  WEFT_TRY(auto next, history.next());
  if (next && current == next) {
    WEFT_CHECK(history.next_is_written());
    return {};
  }
  if (current == written) return next ? history.drop_next() : Status();
  WEFT_TRY(const auto snapshots, history.list());
  bool kept = false;  // by a call that was cut off before it could say so
  if (current && !snapshots.empty() && snapshots.back().origin == SnapshotOrigin::kPerson) {
    WEFT_TRY(const std::string newest, read_file(snapshots.back().path));
    kept = newest == *current;
  }
  if (!kept) {
    if (written) WEFT_CHECK(history.add(*written, SnapshotOrigin::kWeft, now));
    if (next) WEFT_CHECK(history.add(*next, SnapshotOrigin::kWeft, now));
    if (current) WEFT_CHECK(history.add(*current, SnapshotOrigin::kPerson, now));
  }
  WEFT_CHECK(current ? history.set_written(*current) : history.drop_written());
  if (next) WEFT_CHECK(history.drop_next());
  return history.prune(keep_);
}

// Aside, announced, in place, announced as done: at every moment between, `settle` knows what happened.
Status ProfileFiles::replace(Place& place, const std::optional<std::string>& current, std::string_view content,
                             Time now) {
  if (current && *current == content) return {};
  WEFT_CHECK(check_writable(place.file));
  if (content.size() > kMaxBytes) {
    return too_large("the profile would have " + std::to_string(content.size()) + " bytes, more than " +
                     std::to_string(kMaxBytes));
  }
  if (current) {
    WEFT_CHECK(place.history.add(*current, SnapshotOrigin::kWeft, now));
    WEFT_CHECK(place.history.prune(keep_));
  }
  WEFT_CHECK(place.history.set_next(content));
  WEFT_CHECK(write_file(place.file, content, true));
  return place.history.next_is_written();
}

Result<StoredProfile> ProfileFiles::parsed(const std::filesystem::path& file, const EntityKey& entity,
                                           const std::string& content) {
  auto profile = parse_profile(content, entity);
  if (!profile.ok()) return in_file(file, profile.error());
  return StoredProfile{std::move(profile).value(), digest(content)};
}

Result<StoredProfile> ProfileFiles::read(const EntityKey& entity, Time now) {
  WEFT_TRY(Place place, place_of(entity));
  std::lock_guard lock(*place.mutex);
  WEFT_TRY(const auto current, read_current(place.file));
  // A profile can be read where nothing can be written.
  if (const Status settled = settle(place, current, now); !settled.ok()) {
    log_warning("profile.settle", settled.error().message);
  }
  if (!current) return no_profile(entity);
  return parsed(place.file, entity, *current);
}

Result<StoredProfile> ProfileFiles::glance(const EntityKey& entity) const {
  WEFT_TRY(const auto file, path_of(entity));
  WEFT_TRY(const auto current, read_current(file));
  return current ? parsed(file, entity, *current) : no_profile(entity);
}

Result<StoredProfile> ProfileFiles::update(const EntityKey& entity, Time now, const Change& change) {
  WEFT_TRY(Place place, place_of(entity));
  std::lock_guard lock(*place.mutex);
  WEFT_TRY(const auto current, read_current(place.file));
  WEFT_CHECK(settle(place, current, now));
  std::optional<Profile> before;
  if (current) {
    WEFT_TRY(StoredProfile stored, parsed(place.file, entity, *current));
    before = std::move(stored.profile);
  }
  WEFT_TRY(Profile after, change(before));
  if (after.entity != entity) return invalid_argument("a profile cannot become the one of somebody else");
  if (before && *before == after) return StoredProfile{std::move(after), digest(*current)};
  WEFT_TRY(const std::string content, write_profile(after));
  WEFT_CHECK(replace(place, current, content, now));
  return StoredProfile{std::move(after), digest(content)};
}

Result<std::vector<ProfileSnapshot>> ProfileFiles::history(const EntityKey& entity, Time now) {
  WEFT_TRY(Place place, place_of(entity));
  std::lock_guard lock(*place.mutex);
  WEFT_TRY(const auto current, read_current(place.file));
  if (const Status settled = settle(place, current, now); !settled.ok()) {
    log_warning("profile.settle", settled.error().message);
  }
  return place.history.list();
}

Result<std::string> ProfileFiles::read_version_text(const EntityKey& entity, std::uint64_t version) {
  WEFT_TRY(Place place, place_of(entity));
  std::lock_guard lock(*place.mutex);
  return place.history.read(version);
}

Result<Profile> ProfileFiles::read_version(const EntityKey& entity, std::uint64_t version) {
  WEFT_TRY(const std::string content, read_version_text(entity, version));
  return parse_profile(content, entity);
}

Result<StoredProfile> ProfileFiles::rollback(const EntityKey& entity, std::uint64_t version, Time now) {
  WEFT_TRY(Place place, place_of(entity));
  std::lock_guard lock(*place.mutex);
  // Read before anything else: what is written below may push this version out.
  WEFT_TRY(const std::string content, place.history.read(version));
  WEFT_TRY(StoredProfile stored, parsed(place.file, entity, content));
  // What is too large to be read is still put aside.
  auto current = read_current(place.file);
  if (!current.ok() && current.error().code == ErrorCode::kTooLarge) {
    WEFT_TRY(std::string large, read_file(place.file));
    current = std::optional(std::move(large));
  }
  if (!current.ok()) return current.error();
  WEFT_CHECK(settle(place, *current, now));
  WEFT_CHECK(replace(place, *current, content, now));
  return stored;
}

Status ProfileFiles::note(const std::filesystem::path& path, std::string_view content, bool removed,
                          ProfileErasure& erasure) const {
  erasure.files.push_back({path.lexically_relative(root_).generic_string(), digest(content), content.size(), removed});
  if (!removed) return {};
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return file_error("remove", path);
  return {};
}

Result<ProfileErasure> ProfileFiles::remove(const EntityKey& entity) {
  WEFT_TRY(Place place, place_of(entity));
  std::lock_guard lock(*place.mutex);
  ProfileErasure erasure;
  WEFT_TRY(auto paths, place.history.files());
  const bool had_history = !paths.empty();
  paths.push_back(place.file);  // last: as long as the profile is listed, the erasure is not done
  for (const auto& path : paths) {
    const auto content = read_file(path);
    if (!content.ok() && content.error().code == ErrorCode::kNotFound) continue;
    if (!content.ok()) return content.error();
    WEFT_CHECK(note(path, *content, true, erasure));
  }
  std::error_code ignored;
  std::filesystem::remove(place.history.folder(), ignored);
  if (had_history) WEFT_CHECK(sync_folder(place.history.folder().parent_path()));
  WEFT_CHECK(sync_folder(place.file.parent_path()));
  return erasure;
}

Result<ProfileErasure> ProfileFiles::redact(const EntityKey& entity, Time now, const Redact& redact) {
  WEFT_TRY(Place place, place_of(entity));
  std::lock_guard lock(*place.mutex);
  const auto redacted = [&](const std::string& content) -> Result<std::string> {
    auto profile = parse_profile(content, entity);
    Profile whole;
    whole.entity = entity;
    if (!profile.ok()) whole.body = content;
    const Profile& before = profile.ok() ? *profile : whole;
    Profile after = before;
    redact(after);
    if (after == before) return content;
    if (!profile.ok()) return std::move(after.body);
    return write_profile(after);
  };
  ProfileErasure erasure;
  std::optional<std::string> current;
  WEFT_TRY(current, read_current(place.file));
  WEFT_CHECK(settle(place, current, now));
  WEFT_TRY(const auto snapshots, place.history.list());
  for (const auto& snapshot : snapshots) {
    WEFT_TRY(const std::string content, read_file(snapshot.path));
    WEFT_TRY(const std::string after, redacted(content));
    if (after == content) continue;
    WEFT_CHECK(write_file(snapshot.path, after, true));
    WEFT_CHECK(note(snapshot.path, content, false, erasure));
  }
  if (!current) return erasure;
  WEFT_TRY(const std::string after, redacted(*current));
  if (after == *current) return erasure;
  WEFT_CHECK(place.history.set_next(after));
  WEFT_CHECK(write_file(place.file, after, true));
  WEFT_CHECK(place.history.next_is_written());
  WEFT_CHECK(note(place.file, *current, false, erasure));
  return erasure;
}

}  // namespace weft
