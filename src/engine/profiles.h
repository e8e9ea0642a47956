#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "engine/log_readers.h"
#include "flow/context/build_context.h"
#include "flow/historian/queued_jobs.h"
#include "flow/memory/profile_merge.h"
#include "model/documents.h"
#include "ports/files/document_files.h"
#include "ports/store/store.h"
#include "weft/profile.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

/// A profile and the version of the document that holds it.
struct StoredProfile {
  Profile profile;
  DocumentRow version;  ///< number 0: there is no profile yet
};

/// A profile in a list.
struct ProfileEntry {
  EntityKey entity;
  std::string name;
  Time updated_at;
  std::uint64_t bytes = 0;
  std::string problem;  ///< why the file cannot be read; empty if it can
};

/// The profiles of users and groups: documents (see DocumentFiles) that lie in the folder "profiles" as
///
///   users/ID.md  groups/ID.md                                   the profiles
///   history/{users,groups}/ID/000007-20260221T063000Z-weft.md   earlier versions
///   archive/{users,groups}/ID.md                                lines that a profile had no room for, for people only
///
/// A profile that cannot be read is overwritten only by a rollback and by erasure. Ids are those that `check_id`
/// accepts; in file names they are encoded, so that none leaves its folder. Where the file system takes two ids for one
/// name ("Ann", "ann"), the second is refused with kCorrupt, since the file names the first.
///
/// If a person removes the folder "users" or "groups" its files are written again.
///
/// Safe from many threads. `now` is the caller's clock.
class ProfileFiles {
 public:
  static constexpr const char *kKind = "profile", *kArchiveKind = "profile_archive";

  /// `root` is the folder "profiles"; it is made when it is missing. `keep`: earlier versions kept of each profile, at
  /// least one.
  static Result<std::unique_ptr<ProfileFiles>> open(Store& store, DocumentFiles& documents, std::filesystem::path root,
                                                    Time now, std::size_t keep = 5);

  /// All profiles of one kind, by id. A file that cannot be read is listed with its problem.
  Result<std::vector<ProfileEntry>> list(EntityType type, Time now);

  /// kNotFound if the profile does not exist; kCorrupt, with file and line, if the file cannot be parsed.
  Result<Profile> read(const EntityKey& entity, Time now);

  /// The current profile, edits of the file included. Takes no lock and writes nothing. Errors as of `read`.
  Result<Profile> glance(const EntityKey& entity) const;

  /// For a change that is written with other rows. `change` adds the next version to `batch`, and the lines that the
  /// profile has lost for want of room to the archive. Writing the batch fails with kConflict if another version was
  /// written since `before_change`. Call `show` after the write.
  Result<StoredProfile> before_change(const EntityKey& entity, Time now);
  Status change(const StoredProfile& before, const Profile& after, const std::vector<std::string>& lost, Time now,
                WriteBatch& batch);

  /// Reads, changes and writes; repeats this if another version was written in between. `make` gets nothing if there is
  /// no profile. If it fails, its error is returned and nothing is written.
  using Make = std::function<Result<Profile>(std::optional<Profile>)>;
  Result<Profile> update(const EntityKey& entity, Time now, const Make& make);

  /// Earlier versions, oldest first, their texts included.
  Result<std::vector<DocumentRow>> history(const EntityKey& entity, Time now);

  /// The text of an earlier version; kNotFound, naming the kept ones, where it is not kept.
  Result<std::string> read_version_text(const EntityKey& entity, std::int64_t version, Time now);
  Result<Profile> read_version(const EntityKey& entity, std::int64_t version, Time now);

  /// Makes an earlier version the newest one, byte for byte. The former newest one is kept, also if it cannot be read,
  /// so that a rollback can be taken back. Returns the profile.
  Result<Profile> rollback(const EntityKey& entity, std::int64_t version, Time now);

  /// Removes the profile, its versions and its archive from store and disk. Returns how many there were.
  Result<std::size_t> remove(const EntityKey& entity);

  /// Rewrites the profile, every kept version and the archive: `redact` takes out of each body what must go. It gets
  /// the whole text of the archive, and of a version that cannot be read as a profile, as a body. Gives how many texts
  /// have changed.
  using Redact = std::function<void(Profile&)>;
  Result<std::size_t> redact(const EntityKey& entity, Time now, const Redact& redact);

  /// Where the profile's file is or would be, for showing and for an editor.
  Result<std::filesystem::path> path_of(const EntityKey& entity) const;

  /// Writes the files of a scope if they show older versions.
  Status show(const ScopeKey& scope, Time now);

 private:
  ProfileFiles(Store& store, DocumentFiles& documents, std::filesystem::path root, std::size_t keep)
      : store_(store), documents_(documents), root_(std::move(root)), keep_(keep) {}
  Result<DocumentPlace> place_of(const EntityKey& entity) const;
  Result<DocumentPlace> archive_of(const EntityKey& entity) const;
  Result<DocumentRow> newest(const DocumentPlace& place, const EntityKey& entity, Time now, bool any_file = false);

  Status restore_folders(Time now);

  Store& store_;
  DocumentFiles& documents_;
  std::filesystem::path root_;
  std::size_t keep_;
};

struct EngineCore;

/// Profiles: new information is merged into them, callers read and edit them, searches find them. Reads the log to show
/// profiles in their files if the program was killed before it did. Safe from any thread.
class Profiles final : public LogReader {
 public:
  explicit Profiles(EngineCore& core) : core_(core) {}

  // `ScopeProfiles` in weft/facets/scope_profiles.h says what these do.
  Result<Profile> profile(const RequestContext& request, const EntityKey& entity);
  Result<std::vector<ProfileVersion>> profile_history(const RequestContext& request, const EntityKey& entity);
  Result<Profile> profile_version(const RequestContext& request, const EntityKey& entity, std::uint64_t version);
  Result<Profile> roll_back_profile(const RequestContext& request, const EntityKey& entity, std::uint64_t version);
  Result<Profile> write_profile(const RequestContext& request, const EntityKey& entity, const std::string& body);
  Result<std::string> profile_path(const RequestContext& request, const EntityKey& entity);
  Result<std::vector<ProfileSummary>> list_profiles(EntityType type);

  /// Merges the new information of an end into the profiles that it belongs to, and adds to `batch` what changes by
  /// that: the profile, its item, and events that have ceased to hold. `view` is the event in the speaker's private
  /// memory, if any.
  Status update_profiles(const EndJob& end, ItemRow& event, std::optional<ItemRow>& view, WriteBatch& batch,
                         std::stop_token stop);

  /// Shows the profiles of `written` in their files.
  void show(const WriteBatch& written);
  const std::string& name() const override;
  Result<WriteBatch> read(const LogPart& part) override;

  /// How a profile is read: of a group, who its members are.
  Result<ProfileSubject> subject_of(const EntityKey& entity);

  /// Puts what stands in a profile into the index.
  Status index_profile(const Profile& profile);

  /// Does so for the files that people have changed since a prompt saw them.
  void index_changed_profiles();

  /// The profiles that stand in a prompt of the request's scope. Files that people have changed are indexed later.
  std::vector<ProfileText> profiles_for(const RequestContext& request);

 private:
  struct WordedProfile {
    std::string before, after;  ///< what the model was given, and what it made of it
  };
  struct Merged {
    Profile profile;
    std::vector<std::string> over;  ///< events that no longer hold
    std::string newer;  ///< the line that was said later than the information and says otherwise
    std::vector<std::string> lost;  ///< lines that the profile has no room for
    bool has_changed = false;  ///< whether the body has changed
  };
  Result<std::vector<std::string>> end_beside(const EndJob& end, ItemRow& event, ProfileInfo info,
                                              const ProfileSubject& subject);
  Result<Merged> merge_into(Profile profile, const EndJob& end, const ItemRow& event, ProfileInfo info,
                            const ProfileSubject& subject, const Members& members, const WordedProfile& worded);
  Result<std::vector<std::string>> said_later(const ItemRow& event, Time time, std::string_view body);
  Result<ItemRow> profile_item(const ScopeKey& scope, const Profile& profile);
  WordedProfile word_profile(const EntityKey& entity, const ProfileInfo& info, const ProfileSubject& subject,
                             std::stop_token stop);
  Status update_profile(const EndJob& end, const EntityKey& entity, ItemRow& event, WriteBatch& batch,
                        std::stop_token stop);
  Result<std::map<std::string, UserId>> senders_in(const ScopeKey& scope, std::string_view body);
  Status supersede(const EndJob& end, ItemRow& event, const std::vector<std::string>& old_events, WriteBatch& batch);
  void index_later(const RequestContext& request, const EntityKey& entity, const std::string& body);

  EngineCore& core_;
  struct Changed {
    std::map<std::string, std::size_t> glanced;  ///< digest of each profile when a prompt saw it last, by entity
    std::vector<std::pair<Scope, EntityKey>> waiting;
  };
  Sync<Changed> changed_profiles_;
};

}  // namespace weft
