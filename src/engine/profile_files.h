#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"
#include "ports/files/document_files.h"

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

}  // namespace weft
