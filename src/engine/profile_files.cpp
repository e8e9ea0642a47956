#include "engine/profile_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "ports/files/file_system.h"
#include "ports/files/profile_names.h"
#include "text/front_matter.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnd = ".md";

std::string_view folder_name(EntityType type) { return type == EntityType::kUser ? "users" : "groups"; }

Error in_file(const fs::path& path, const Error& error) {
  return {error.code, path.string() + ": " + error.message, error.hint};
}

Error no_profile(const EntityKey& entity) {
  return not_found("there is no profile of " + entity.str(), "`weft profile list` shows the profiles");
}

// Whose scope it is; nothing for one that has no profile.
std::optional<EntityKey> entity_of(const ScopeKey& scope) {
  const std::string& key = scope.str();
  for (const EntityType type : {EntityType::kUser, EntityType::kGroup}) {
    const std::string start = EntityKey{type, ""}.str();
    if (key.size() > start.size() && key.starts_with(start)) return EntityKey{type, key.substr(start.size())};
  }
  return std::nullopt;
}

Result<Profile> parsed(const DocumentPlace& place, const EntityKey& entity, std::string_view text) {
  if (text.empty()) return no_profile(entity);
  auto profile = parse_profile(text, entity);
  if (!profile.ok()) return in_file(place.file, profile.error());
  return profile;
}

// Whose profile a file of the folder is. Names that were shortened do not tell; then the file must.
std::optional<std::string> id_of(const fs::path& path, std::string_view content) {
  const std::string name = path.stem().string();
  if (auto id = profile_id_of(name)) return id;
  const auto document = parse_front_matter(content);
  const auto* entry = document.ok() ? document->find("entity_id") : nullptr;
  if (entry == nullptr || entry->values.size() != 1) return std::nullopt;
  const auto expected = profile_file_name(entry->values.front());
  return expected.ok() && *expected == name ? std::optional(entry->values.front()) : std::nullopt;
}

ProfileEntry entry_of(EntityType type, const fs::path& path) {
  ProfileEntry entry;
  entry.entity = {type, path.stem().string()};
  std::error_code none;
  entry.bytes = fs::file_size(path, none);
  if (!none && entry.bytes > DocumentPlace::kMaxBytes) {
    entry.problem =
        "it has " + std::to_string(entry.bytes) + " bytes, more than " + std::to_string(DocumentPlace::kMaxBytes);
    return entry;
  }
  const auto content = read_file(path);
  if (!content.ok()) {
    entry.problem = content.error().message;
    return entry;
  }
  const auto id = id_of(path, *content);
  if (!id) {
    entry.problem = "the file's name is not the one of an id, and the file does not say whose it is";
    return entry;
  }
  entry.entity.id = *id;
  const auto profile = parse_profile(*content, entry.entity);
  if (!profile.ok()) {
    entry.problem = profile.error().message;
    return entry;
  }
  entry.name = profile->name;
  entry.updated_at = profile->updated_at;
  return entry;
}

// A temporary file that a killed `write_file` has left.
bool is_torn_write(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto at = name.rfind(".md.tmp");
  return at != std::string::npos && !name.ends_with(kEnd) &&
         name.find_first_not_of("0123456789-", at + std::string_view(".md.tmp").size()) == std::string::npos;
}

void remove_torn_writes(const fs::path& folder) {
  std::error_code code;
  fs::directory_iterator at(folder, code);
  for (; !code && at != fs::directory_iterator(); at.increment(code))
    if (is_torn_write(at->path())) ::unlink(at->path().c_str());
}

}  // namespace

Result<std::unique_ptr<ProfileFiles>> ProfileFiles::open(Store& store, DocumentFiles& documents, fs::path root,
                                                         Time now, std::size_t keep) {
  for (const EntityType type : {EntityType::kUser, EntityType::kGroup}) {
    remove_torn_writes(root / folder_name(type));
    remove_torn_writes(root / "archive" / folder_name(type));
  }
  std::unique_ptr<ProfileFiles> files(
      new ProfileFiles(store, documents, std::move(root), std::max<std::size_t>(keep, 1)));
  WEFT_CHECK(files->restore_folders(now));
  return files;
}

// A person who removes a folder removes no profile: all its files are written again.
Status ProfileFiles::restore_folders(Time now) {
  for (const EntityType type : {EntityType::kUser, EntityType::kGroup}) {
    const fs::path folder = root_ / folder_name(type);
    std::error_code none;
    if (fs::exists(folder, none)) continue;
    WEFT_TRY(const auto scopes, store_.streams().scopes());
    WEFT_CHECK(make_folder(folder));
    for (const ScopeKey& scope : scopes) {
      const auto entity = entity_of(scope);
      if (!entity || entity->type != type) continue;
      WEFT_TRY(const DocumentPlace place, place_of(*entity));
      WEFT_TRY(const DocumentPlace archive, archive_of(*entity));
      for (const DocumentPlace& one : {place, archive})
        if (const auto read = documents_.read(one, now, true); !read.ok()) return read.error();
    }
  }
  return {};
}

Result<DocumentPlace> ProfileFiles::place_of(const EntityKey& entity) const {
  WEFT_TRY(const std::string name, profile_file_name(entity.id));
  const fs::path folder(folder_name(entity.type));
  return DocumentPlace{ScopeKey(entity.str()),
                       kKind,
                       entity.str(),
                       root_ / folder / (name + std::string(kEnd)),
                       root_ / "history" / folder / name,
                       keep_};
}

Result<DocumentPlace> ProfileFiles::archive_of(const EntityKey& entity) const {
  WEFT_TRY(DocumentPlace place, place_of(entity));
  place.kind = kArchiveKind;
  place.file = root_ / "archive" / folder_name(entity.type) / place.file.filename();
  place.earlier.clear();
  place.keep = 0;
  return place;
}

Result<fs::path> ProfileFiles::path_of(const EntityKey& entity) const {
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  return place.file;
}

Result<std::vector<ProfileEntry>> ProfileFiles::list(EntityType type, Time now) {
  WEFT_CHECK(restore_folders(now));
  std::vector<ProfileEntry> entries;
  std::error_code code;
  fs::directory_iterator at(root_ / folder_name(type), code);
  for (; !code && at != fs::directory_iterator(); at.increment(code)) {
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

// A file that names somebody else becomes no version of a profile that has none.
Result<DocumentRow> ProfileFiles::newest(const DocumentPlace& place, const EntityKey& entity, Time now, bool any_file) {
  WEFT_CHECK(restore_folders(now));
  WEFT_TRY(const bool is_new, documents_.is_new(place));
  if (is_new) {
    WEFT_TRY(const std::string text, documents_.glance(place));
    const auto profile = parse_profile(text, entity);
    if (!profile.ok()) return in_file(place.file, profile.error());
  }
  return documents_.read(place, now, any_file);
}

Result<Profile> ProfileFiles::read(const EntityKey& entity, Time now) {
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  WEFT_TRY(const DocumentRow row, newest(place, entity, now));
  return parsed(place, entity, row.body);
}

Result<Profile> ProfileFiles::glance(const EntityKey& entity) const {
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  WEFT_TRY(const std::string text, documents_.glance(place));
  return parsed(place, entity, text);
}

Result<StoredProfile> ProfileFiles::before_change(const EntityKey& entity, Time now) {
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  StoredProfile before;
  WEFT_TRY(before.version, newest(place, entity, now));
  before.profile.entity = entity;
  if (before.version.body.empty()) return before;
  WEFT_TRY(before.profile, parsed(place, entity, before.version.body));
  return before;
}

Status ProfileFiles::change(const StoredProfile& before, const Profile& after, const std::vector<std::string>& lost,
                            Time now, WriteBatch& batch) {
  const EntityKey& entity = before.profile.entity;
  if (after.entity != entity) return invalid_argument("a profile cannot become the one of somebody else");
  if (!lost.empty()) {
    WEFT_TRY(const DocumentPlace archive, archive_of(entity));
    WEFT_TRY(const DocumentRow kept, documents_.read(archive, now, true));
    std::string text = kept.body;
    for (const std::string& line : lost) {
      const std::string whole = line.ends_with('\n') ? line : line + "\n";
      if (text.find("\n" + whole) == std::string::npos && !text.starts_with(whole)) text += whole;
    }
    // The oldest lines give way; the events that they are from stay.
    while (text.size() > DocumentPlace::kMaxBytes) {
      const std::size_t least = text.find('\n', text.size() - DocumentPlace::kMaxBytes - 1);
      text.erase(0, least == std::string::npos ? text.size() : least + 1);
    }
    WEFT_CHECK(documents_.change(archive, kept, std::move(text), now, batch));
  }
  if (before.version.version > 0 && !before.version.body.empty() && before.profile == after) return {};
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  WEFT_TRY(std::string text, write_profile(after));
  return documents_.change(place, before.version, std::move(text), now, batch);
}

Result<Profile> ProfileFiles::update(const EntityKey& entity, Time now, const Make& make) {
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  if (const auto settled = newest(place, entity, now); !settled.ok()) return settled.error();
  WEFT_TRY(const DocumentRow row, documents_.update(place, now, [&](const std::string& text) -> Result<std::string> {
    std::optional<Profile> before;
    if (!text.empty()) {
      WEFT_TRY(before, parsed(place, entity, text));
    }
    WEFT_TRY(const Profile after, make(before));
    if (after.entity != entity) return invalid_argument("a profile cannot become the one of somebody else");
    if (before && *before == after) return text;
    return write_profile(after);
  }));
  return parsed(place, entity, row.body);
}

Result<std::vector<DocumentRow>> ProfileFiles::history(const EntityKey& entity, Time now) {
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  if (const auto settled = newest(place, entity, now, true); !settled.ok()) return settled.error();
  return documents_.earlier(place);
}

Result<std::string> ProfileFiles::read_version_text(const EntityKey& entity, std::int64_t version, Time now) {
  WEFT_TRY(auto rows, history(entity, now));
  std::string kept;
  for (DocumentRow& row : rows) {
    if (row.version == version) return std::move(row.body);
    kept += (kept.empty() ? "" : ", ") + std::to_string(row.version);
  }
  return not_found("version " + std::to_string(version) + " is not kept",
                   kept.empty() ? "no version is kept" : "kept are " + kept);
}

Result<Profile> ProfileFiles::read_version(const EntityKey& entity, std::int64_t version, Time now) {
  WEFT_TRY(const std::string content, read_version_text(entity, version, now));
  return parse_profile(content, entity);
}

Result<Profile> ProfileFiles::rollback(const EntityKey& entity, std::int64_t version, Time now) {
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  WEFT_TRY(const std::string text, read_version_text(entity, version, now));
  if (const auto profile = parsed(place, entity, text); !profile.ok()) return profile.error();
  // A file that is too large to be read is put aside, too.
  constexpr bool kAnySize = true;
  WEFT_TRY(const DocumentRow row,
           documents_.update(place, now, [&](const std::string&) { return Result<std::string>(text); }, kAnySize));
  return parsed(place, entity, row.body);
}

Result<std::size_t> ProfileFiles::remove(const EntityKey& entity) {
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  WEFT_TRY(const DocumentPlace archive, archive_of(entity));
  WEFT_TRY(const std::size_t archived, documents_.remove(archive));
  WEFT_TRY(const std::size_t gone, documents_.remove(place));
  return archived + gone;
}

Result<std::size_t> ProfileFiles::redact(const EntityKey& entity, Time now, const Redact& redact) {
  WEFT_CHECK(restore_folders(now));
  const auto redacted = [&](const std::string& text) -> Result<std::string> {
    auto profile = parse_profile(text, entity);
    Profile whole;
    whole.entity = entity;
    if (!profile.ok()) whole.body = text;
    const Profile& before = profile.ok() ? *profile : whole;
    Profile after = before;
    redact(after);
    if (after == before) return text;
    if (!profile.ok()) return std::move(after.body);
    return write_profile(after);
  };
  WEFT_TRY(const DocumentPlace place, place_of(entity));
  WEFT_TRY(const DocumentPlace archive, archive_of(entity));
  WEFT_TRY(const std::size_t archived, documents_.rewrite(archive, now, [&](const std::string& text) {
    Profile whole;
    whole.entity = entity;
    whole.body = text;
    redact(whole);
    return Result<std::string>(std::move(whole.body));
  }));
  WEFT_TRY(const std::size_t changed, documents_.rewrite(place, now, redacted));
  return archived + changed;
}

Status ProfileFiles::show(const ScopeKey& scope, Time now) {
  const auto entity = entity_of(scope);
  if (!entity) return {};
  WEFT_TRY(const DocumentPlace place, place_of(*entity));
  WEFT_TRY(const DocumentPlace archive, archive_of(*entity));
  const auto archived = documents_.read(archive, now, true);
  const auto profile = newest(place, *entity, now, true);
  if (!archived.ok()) return archived.error();
  // A file that cannot be taken in is reported to whoever reads the profile.
  return profile.ok() || profile.error().code == ErrorCode::kCorrupt ? Status() : Status(profile.error());
}

}  // namespace weft
