// Profiles: what new information makes of them, who may read them, and their place in the index.
#include "engine/profiles.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/log.h"
#include "engine/engine_core.h"

#include "flow/historian/facts_by_model.h"
#include "flow/historian/members.h"
#include "flow/memory/profile_body.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/said_parts.h"
#include "text/words.h"

namespace weft {
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
