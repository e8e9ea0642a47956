#include "engine/profiles.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/log.h"
#include "engine/engine_core.h"
#include "flow/historian/facts_by_model.h"
#include "flow/historian/queued_jobs.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "ports/files/document_files.h"
#include "ports/files/file_system.h"
#include "text/front_matter.h"
#include "text/words.h"

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

// Profiles: what new information makes of them, who may read them, and their place in the index.

namespace {

constexpr std::size_t kMostGlanced = 100'000;
constexpr std::int64_t kEndOfLog = std::numeric_limits<std::int64_t>::max();

EntityKey own_entity(const Scope& scope) {
  return scope.is_group() ? EntityKey{EntityType::kGroup, scope.group().str()}
                          : EntityKey{EntityType::kUser, scope.user().str()};
}

ScopeKey scope_key(const EntityKey& entity) { return ScopeKey(entity.str()); }

EntityKey entity_of(const EndJob& end) {
  return end.group_id.empty() ? EntityKey{EntityType::kUser, end.user_id} : EntityKey{EntityType::kGroup, end.group_id};
}

// A fact that is older than what stands in the profile held until then.
void end_by_line(std::string_view body, const std::string& content, EventDetails& details) {
  for (const ProfileLine& line : read_lines(body)) {
    if (line.content != content || line.sources.empty() || !line.time) continue;
    details.superseded_by = ItemId(line.sources.front());
    details.valid_until = *line.time;
    return;
  }
}

// What a profile tells of, so that people and programs find it: "residence", "job", "wish".
void add_tags(Profile& profile, const std::string& attribute) {
  constexpr std::size_t kMostTags = 40;
  std::string tag = attribute.substr(0, attribute.find(':'));
  if (tag.starts_with("of ")) tag = tag.substr(3);
  const bool known = std::find(profile.tags.begin(), profile.tags.end(), tag) != profile.tags.end();
  if (!tag.empty() && tag != "*" && !known && profile.tags.size() < kMostTags) profile.tags.push_back(tag);
}

// Of a user what is written under their own names, of a group what is written of its members.
ProfileSubject subject_for(const EntityKey& entity, const EndJob& end, const Members& members) {
  ProfileSubject subject{entity.type, {}, members.labels()};
  if (entity.type == EntityType::kGroup) return subject;
  subject.names = {end.sender_id.str(), end.sender_name};
  std::erase(subject.names, std::string());
  std::erase_if(subject.members, [&](const MemberLabel& one) { return one.id != end.sender_id.str(); });
  for (MemberLabel& one : subject.members) one.id.clear();
  return subject;
}

// A scope's key and its entity's are written alike, so that an index of one scope can hold no other's profile.
Status check_own(const RequestContext& request, const EntityKey& entity, bool user_in_groups) {
  if (entity == own_entity(request.scope)) return {};
  const bool speaker = request.scope.is_group() && entity.type == EntityType::kUser &&
                       entity.id == request.scope.user().str() && user_in_groups;
  if (speaker) return {};
  return permission("profile: " + entity.str() + " is not of the scope " + request.scope.key().str(),
                    "ask in that user's or group's own scope");
}

}  // namespace

// Of what an erasure or a branch that was left leaves.
Result<ProfileSubject> Profiles::subject_of(const EntityKey& entity) {
  WEFT_TRY(const Members members, Members::read(*core_.store, scope_key(entity)));
  return ProfileSubject{entity.type, {entity.id}, members.labels()};
}

// Who has said the events that a body was made from, by event.
Result<std::map<std::string, UserId>> Profiles::senders_in(const ScopeKey& scope, std::string_view body) {
  std::vector<ItemId> ids;
  for (const std::string& event : body_sources(body)) ids.emplace_back(event);
  WEFT_TRY(const auto rows, core_.store->items().rows_of(scope, ids));
  WEFT_TRY(const auto items, core_.store->items().get(scope, rows));
  std::map<std::string, UserId> senders;
  for (const ItemRow& row : items)
    if (row.item.event) senders.emplace(row.item.id.str(), UserId(row.item.event->sender_id));
  return senders;
}

// The events behind lines of a profile that have the same time as `event` and a later place in the log.
Result<std::vector<std::string>> Profiles::said_later(const ItemRow& event, Time time, std::string_view body) {
  std::vector<ItemId> ids;
  for (const ProfileLine& line : read_lines(body))
    if (line.time && line.time->ms == time.ms)
      for (const std::string& id : line.sources) ids.emplace_back(id);
  std::vector<std::string> later;
  if (ids.empty()) return later;
  WEFT_TRY(const auto rows, core_.store->items().rows_of(event.scope, ids));
  WEFT_TRY(const auto items, core_.store->items().get(event.scope, rows));
  for (const ItemRow& row : items)
    if (row.item.position > event.item.position) later.push_back(row.item.id.str());
  return later;
}

Result<ItemRow> Profiles::profile_item(const ScopeKey& scope, const Profile& profile) {
  ItemRow row;
  row.scope = scope;
  row.item.id = ItemId(profile.entity.str());
  row.item.kind = ItemKind::kProfile;
  row.item.text = without_markers(profile.body);
  row.item.time = profile.updated_at;
  const auto events = body_sources(profile.body);
  std::vector<ItemId> ids;
  for (const std::string& event : events) ids.emplace_back(event);
  WEFT_TRY(const auto rows, core_.store->items().rows_of(scope, ids));
  WEFT_TRY(const auto items, core_.store->items().get(scope, rows));
  for (const ItemRow& event : items)
    row.item.sources.insert(row.item.sources.end(), event.item.sources.begin(), event.item.sources.end());
  std::sort(row.item.sources.begin(), row.item.sources.end());
  row.item.sources.erase(std::unique(row.item.sources.begin(), row.item.sources.end()), row.item.sources.end());
  row.terms = index_terms(row.item.text);
  return row;
}

// Asked before the file is locked: nobody waits for a model there. Empty where there is no model, nothing to merge, or
// no answer that keeps the bounds.
Profiles::WordedProfile Profiles::word_profile(const EntityKey& entity, const ProfileInfo& info,
                                               const ProfileSubject& subject, std::stop_token stop) {
  WordedProfile worded;
  if (core_.historian() == nullptr || !core_.config.cognitive.model_profiles) return worded;
  const auto stored = core_.profile_files->read(entity, core_.clock->now());
  if (!stored.ok() || stored->body.empty()) return worded;
  Profile draft = *stored;
  draft.body = merge_profile(draft.body, info, subject).body;
  if (draft.body == stored->body) return worded;
  const auto limit = std::chrono::milliseconds(core_.config.cognitive.model_timeout_ms);
  ModelMerge merge = merge_by_model(*core_.historian(), *stored, draft, info, Deadline({}, stop).within(limit));
  core_.metrics.model_calls += static_cast<std::uint64_t>(merge.model_calls);
  if (merge.body.empty())
    log_warning("profile.floor", entity.str() + " was merged without the model: " + merge.why_floor);
  return {stored->body, std::move(merge.body)};
}

// In a group what is said belongs to the group; to the speaker's own profile only where that is granted.
Status Profiles::update_profiles(const EndJob& end, ItemRow& event, std::optional<ItemRow>& view, WriteBatch& batch,
                                 std::stop_token stop) {
  if (end.attribute == kSaidAttribute && end.over.empty()) return {};
  WEFT_CHECK(update_profile(end, entity_of(end), event, batch, stop));
  if (!view || !core_.config.cognitive.speaker_profiles) return {};
  return update_profile(end, {EntityType::kUser, end.sender_id.str()}, *view, batch, stop);
}

// A fact that does not last gets no line in the profile, and still ends the earlier facts of its attribute. Returns the
// events that it ends.
Result<std::vector<std::string>> Profiles::end_beside(const EndJob& end, ItemRow& event, ProfileInfo info,
                                                      const ProfileSubject& subject) {
  constexpr std::size_t kMostBeside = 500;
  std::vector<std::string> over;
  if (end.kind != "fact") return over;
  std::string body;
  for (const KnownFact& one : core_.facts->holding(event.scope, std::nullopt, kEndOfLog, kMostBeside))
    if (one.id != event.item.id && (one.attribute == end.attribute || end.attribute == kAnyAttribute))
      body += make_bullet(one.text, one.id.str(), one.time).text;
  if (body.empty()) return over;
  info.lasts = false;
  WEFT_TRY(info.later, said_later(event, end.time, body));
  for (const MergeChange& one : merge_profile(body, info, subject).changes) {
    over.insert(over.end(), one.old_events.begin(), one.old_events.end());
    if (one.action == MergeAction::kLate) end_by_line(body, one.old, *event.item.event);
  }
  return over;
}

Result<Profiles::Merged> Profiles::merge_into(Profile profile, const EndJob& end, const ItemRow& event,
                                              ProfileInfo info, const ProfileSubject& subject, const Members& members,
                                              const WordedProfile& worded) {
  if (profile.entity.type == EntityType::kGroup && members.need_labels()) {
    WEFT_TRY(const auto senders, senders_in(event.scope, profile.body));
    profile.body = members.tell_apart(profile.body, senders);
  }
  WEFT_TRY(info.later, said_later(event, end.time, profile.body));
  MergeResult result = merge_profile(profile.body, info, subject);
  Merged merged{std::move(profile), {}, {}, {}};
  for (const MergeChange& one : result.changes) {
    merged.over.insert(merged.over.end(), one.old_events.begin(), one.old_events.end());
    if (one.action == MergeAction::kLate) merged.newer = one.old;
    if (one.action == MergeAction::kDropped) merged.lost.push_back(one.old);
  }
  if (result.body == merged.profile.body) return merged;
  // A person may have edited the file while the model wrote.
  const bool by_model = !worded.after.empty() && worded.before == merged.profile.body;
  merged.profile.body = by_model ? worded.after : std::move(result.body);
  merged.profile.updated_at = end.time;
  merged.profile.source_event_id = info.event_id;
  if (info.lasts) add_tags(merged.profile, event.item.event->attribute);
  if (merged.profile.name.empty() && merged.profile.entity.type == EntityType::kUser)
    merged.profile.name = end.sender_name;
  return merged;
}

Status Profiles::update_profile(const EndJob& end, const EntityKey& entity, ItemRow& event, WriteBatch& batch,
                                std::stop_token stop) {
  WEFT_TRY(const Members members, Members::read(*core_.store, end.scope));
  const ProfileSubject subject = subject_for(entity, end, members);
  ProfileInfo info{event.item.event->new_info, event.item.id.str(), end.time, end.over};
  // A model has already judged whether its own facts last.
  if (end.kind == "fact" && end.model.empty())
    info.lasts = lasts_in_profile(info.text, end.attribute, ProfileReader(subject).about_entity(info.text));
  WEFT_TRY(auto over, end_beside(end, event, info, subject));
  over.insert(over.end(), end.over.begin(), end.over.end());
  const auto end_events = [&] {
    std::sort(over.begin(), over.end());
    over.erase(std::unique(over.begin(), over.end()), over.end());
    return supersede(end, event, over, batch);
  };
  if (!info.lasts && !core_.profile_files->glance(entity).ok()) return end_events();
  const WordedProfile worded = end.kind == "fact" ? WordedProfile() : word_profile(entity, info, subject, stop);
  const Time now = core_.clock->now();
  const auto updated = [&]() -> Result<Merged> {
    WEFT_TRY(const StoredProfile before, core_.profile_files->before_change(entity, now));
    WEFT_TRY(Merged merged, merge_into(before.profile, end, event, info, subject, members, worded));
    WEFT_CHECK(core_.profile_files->change(before, merged.profile, merged.lost, now, batch));
    merged.has_changed = merged.profile.body != before.profile.body;
    return merged;
  }();
  if (!updated.ok()) {
    // The event is kept all the same: it holds the information, and the profile can be mended by a person.
    log_error("profile.update", entity.str() + ": " + updated.error().message);
    return updated.error().code == ErrorCode::kCorrupt || updated.error().code == ErrorCode::kPermission
               ? Status()
               : updated.error();
  }
  over.insert(over.end(), updated->over.begin(), updated->over.end());
  ++core_.metrics.profiles_written;
  WEFT_CHECK(end_events());
  if (!updated->newer.empty()) end_by_line(updated->profile.body, updated->newer, *event.item.event);
  if (!info.lasts && !updated->has_changed) return {};
  WEFT_TRY(auto item, profile_item(event.scope, updated->profile));
  // The event that is being written has no row yet; its messages are sources of the profile as well.
  auto& sources = item.item.sources;
  if (info.lasts) sources.insert(sources.end(), end.message_ids.begin(), end.message_ids.end());
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  batch.items.push_back(std::move(item));
  return {};
}

// The old event stays as it was, with the time until which it held and the link to what replaced it.
Status Profiles::supersede(const EndJob& end, ItemRow& event, const std::vector<std::string>& old_events,
                           WriteBatch& batch) {
  std::vector<ItemId> ids;
  for (const std::string& id : old_events)
    if (id != event.item.id.str()) ids.emplace_back(id);
  WEFT_TRY(const auto rows, core_.store->items().rows_of(event.scope, ids));
  WEFT_TRY(auto items, core_.store->items().get(event.scope, rows));
  for (ItemRow& old : items) {
    if (!old.item.event) continue;
    old.item.event->superseded_by = event.item.id;
    old.item.event->valid_until = end.time;
    event.item.event->supersedes = old.item.id;
    batch.items.push_back(std::move(old));
  }
  return {};
}

void Profiles::show(const WriteBatch& written) {
  std::set<ScopeKey> scopes;
  for (const DocumentRow& row : written.documents) scopes.insert(row.scope);
  for (const ScopeKey& scope : scopes)
    if (const Status shown = core_.profile_files->show(scope, core_.clock->now()); !shown.ok())
      log_warning("profile.show", shown.error().message);
}

const std::string& Profiles::name() const {
  static const std::string name = "profiles";
  return name;
}

Result<WriteBatch> Profiles::read(const LogPart& part) {
  const auto is_profile = [](const LogEntry& entry) {
    return is_change_of(entry, ProfileFiles::kKind) || is_change_of(entry, ProfileFiles::kArchiveKind);
  };
  if (std::any_of(part.entries.begin(), part.entries.end(), is_profile))
    WEFT_CHECK(core_.profile_files->show(part.scope, core_.clock->now()));
  return WriteBatch();
}

Status Profiles::index_profile(const Profile& profile) {
  WEFT_TRY(auto item, profile_item(scope_key(profile.entity), profile));
  WriteBatch batch;
  batch.items.push_back(std::move(item));
  return core_.keep_written(batch);
}

// What people have changed in a file since it was last read gets its place in the index here.
Result<Profile> Profiles::profile(const RequestContext& request, const EntityKey& entity) {
  WEFT_CHECK(check_id(entity.id, "profile id"));
  WEFT_CHECK(check_own(request, entity, core_.config.cognitive.user_profile_in_groups));
  WEFT_TRY(Profile stored, core_.profile_files->read(entity, core_.clock->now()));
  const ItemId id(entity.str());
  WEFT_TRY(const auto rows, core_.store->items().rows_of(scope_key(entity), std::span(&id, 1)));
  WEFT_TRY(const auto items, core_.store->items().get(scope_key(entity), rows));
  if (items.empty() || items.front().item.text != without_markers(stored.body)) WEFT_CHECK(index_profile(stored));
  return stored;
}

Result<std::vector<ProfileVersion>> Profiles::profile_history(const RequestContext& request, const EntityKey& entity) {
  WEFT_CHECK(check_id(entity.id, "profile id"));
  WEFT_CHECK(check_own(request, entity, false));
  WEFT_TRY(const auto kept, core_.profile_files->history(entity, core_.clock->now()));
  std::vector<ProfileVersion> versions;
  for (const DocumentRow& one : kept)
    versions.push_back({static_cast<std::uint64_t>(one.version), one.time, one.author});
  return versions;
}

Result<Profile> Profiles::profile_version(const RequestContext& request, const EntityKey& entity,
                                          std::uint64_t version) {
  WEFT_CHECK(check_id(entity.id, "profile id"));
  WEFT_CHECK(check_own(request, entity, false));
  return core_.profile_files->read_version(entity, static_cast<std::int64_t>(version), core_.clock->now());
}

Result<Profile> Profiles::roll_back_profile(const RequestContext& request, const EntityKey& entity,
                                            std::uint64_t version) {
  WEFT_CHECK(check_id(entity.id, "profile id"));
  WEFT_CHECK(check_own(request, entity, false));
  WEFT_TRY(Profile stored,
           core_.profile_files->rollback(entity, static_cast<std::int64_t>(version), core_.clock->now()));
  WEFT_CHECK(index_profile(stored));
  return stored;
}

Result<Profile> Profiles::write_profile(const RequestContext& request, const EntityKey& entity,
                                        const std::string& body) {
  WEFT_CHECK(check_id(entity.id, "profile id"));
  WEFT_CHECK(check_own(request, entity, false));
  const Time now = core_.clock->now();
  WEFT_TRY(Profile stored, core_.profile_files->update(entity, now, [&](std::optional<Profile> old) -> Result<Profile> {
    Profile profile = old ? std::move(*old) : Profile{entity, "", {}, {}, "", {}, ""};
    if (profile.body == body) return profile;
    profile.body = body;
    profile.updated_at = now;
    profile.source_event_id.clear();
    return profile;
  }));
  WEFT_CHECK(index_profile(stored));
  return stored;
}

Result<std::string> Profiles::profile_path(const RequestContext& request, const EntityKey& entity) {
  WEFT_CHECK(check_id(entity.id, "profile id"));
  WEFT_CHECK(check_own(request, entity, false));
  WEFT_TRY(const auto path, core_.profile_files->path_of(entity));
  return path.string();
}

Result<std::vector<ProfileSummary>> Profiles::list_profiles(EntityType type) {
  WEFT_TRY(auto entries, core_.profile_files->list(type, core_.clock->now()));
  std::vector<ProfileSummary> list;
  for (ProfileEntry& entry : entries)
    list.push_back({std::move(entry.entity), std::move(entry.name), entry.updated_at, std::move(entry.problem)});
  return list;
}

// The user's own in private, the group's in a group; a speaker's private one there only where configuration grants it.
// A file that a person has changed is found by its new words, and its former text kept; no prompt waits for that.
void Profiles::index_later(const RequestContext& request, const EntityKey& entity, const std::string& body) {
  const std::size_t revision = std::hash<std::string>()(body);
  auto changed = changed_profiles_.lock();
  if (changed->glanced.size() >= kMostGlanced) changed->glanced.clear();
  const auto [last, is_new] = changed->glanced.try_emplace(entity.str(), revision);
  if (!is_new && last->second == revision) return;
  last->second = revision;
  changed->waiting.emplace_back(request.scope, entity);
  core_.compactor.wake();
}

void Profiles::index_changed_profiles() {
  std::vector<std::pair<Scope, EntityKey>> waiting;
  waiting.swap(changed_profiles_.lock()->waiting);
  for (const auto& [scope, entity] : waiting) {
    const auto read = profile({scope, {}, {}}, entity);
    if (!read.ok() && read.error().code != ErrorCode::kNotFound) log_warning("profile.index", read.error().message);
  }
}

std::vector<ProfileText> Profiles::profiles_for(const RequestContext& request) {
  std::vector<EntityKey> wanted;
  if (request.scope.is_group() && !request.scope.user().empty() && core_.config.cognitive.user_profile_in_groups)
    wanted.push_back({EntityType::kUser, request.scope.user().str()});
  wanted.push_back(own_entity(request.scope));
  std::vector<ProfileText> texts;
  for (const EntityKey& entity : wanted) {
    const auto found = core_.profile_files->glance(entity);
    if (found.ok()) index_later(request, entity, found->body);
    if (found.ok() && !found->body.empty())
      texts.push_back({entity.str(),
                       without_markers(found->body),
                       {found->name, entity.type == EntityType::kGroup, found->updated_at}});
    else if (!found.ok() && found.error().code != ErrorCode::kNotFound)
      log_warning("profile.read", found.error().message);
  }
  return texts;
}

}  // namespace weft
