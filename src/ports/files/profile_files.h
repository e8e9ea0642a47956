#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/sync.h"
#include "model/profile.h"
#include "ports/files/profile_history.h"

namespace weft {

/// A profile with the state of its file.
struct StoredProfile {
  Profile profile;
  std::string revision;  ///< changes with every byte of the file
};

/// A profile in a list.
struct ProfileEntry {
  EntityKey entity;
  std::string name;
  Time updated_at;
  std::uint64_t bytes = 0;
  std::string problem;  ///< why the file cannot be read; empty if it can
};

/// A file that erasure took away or rewrote.
struct ErasedFile {
  std::string path;    ///< below the folder of the profiles
  std::string digest;  ///< XXH3 of what stood there, 16 hex digits: shows later that a copy is the same
  std::uint64_t bytes = 0;
  bool removed = true;  ///< false: it is still there without what was to be erased
};

/// What erasure did, for the receipt. Empty if there was nothing.
struct ProfileErasure {
  std::vector<ErasedFile> files;
};

/// The profiles of users and groups as files that people read and edit:
///
///   users/ID.md  groups/ID.md           the profiles
///   history/{users,groups}/ID/…         kept versions, see ProfileHistory
///
/// Promises. A write puts what stands there aside as a snapshot, then replaces the file at once; readers see the old or
/// the new file, and what was acknowledged survives a crash. An edit by a person is noticed at the next read or write
/// by its content: it stays, and it becomes a snapshot together with what stood before it. A file that cannot be read
/// is never overwritten by a write. A file without write permission for anybody is left alone (kPermission), except by
/// erasure. Killed at any moment, the next call finds the old or the new version and never takes an own write for an
/// edit.
///
/// Ids are those that `check_id` accepts; in file names they are encoded, so that none leaves its folder. Where the
/// file system takes two ids for one name ("Ann", "ann"), the second is refused with kCorrupt, since the file names the
/// first.
///
/// Safe from many threads, one lock for each profile; one process at a time (the workspace's lock). No state in memory:
/// files may be edited, added and removed at any time. `now` is the caller's clock.
class ProfileFiles {
 public:
  static constexpr std::size_t kKeepDefault = 5;
  static constexpr std::uint64_t kMaxBytes = 1 << 20;  ///< of a profile file

  /// `root` is the folder "profiles"; it is made when it is missing. `keep`: versions kept of each profile, at least
  /// one.
  static Result<std::unique_ptr<ProfileFiles>> open(std::filesystem::path root, std::size_t keep = kKeepDefault);

  /// All profiles of one kind, by id. A file that cannot be read is listed with its problem.
  Result<std::vector<ProfileEntry>> list(EntityType type) const;

  /// kNotFound if there is none; kCorrupt, naming file and line, if it cannot be read.
  Result<StoredProfile> read(const EntityKey& entity, Time now);

  /// The profile as its file says at this moment, for callers that may wait for nobody: it takes no lock, since files
  /// are replaced whole, and leaves it to `read` to keep what a person edited. Errors as of `read`.
  Result<StoredProfile> glance(const EntityKey& entity) const;

  /// Reads, changes and writes under the profile's lock. `change` gets nothing where there is no profile, and must not
  /// call back nor take long. An error of it is given on and nothing is written.
  using Change = std::function<Result<Profile>(std::optional<Profile>)>;
  Result<StoredProfile> update(const EntityKey& entity, Time now, const Change& change);

  /// Kept versions, oldest first. Notices an edit before.
  Result<std::vector<ProfileSnapshot>> history(const EntityKey& entity, Time now);

  /// A kept version as it stood; kNotFound if it is not kept (any more). `read_version_text` gives its bytes, also of
  /// one that cannot be read as a profile.
  Result<Profile> read_version(const EntityKey& entity, std::uint64_t version);
  Result<std::string> read_version_text(const EntityKey& entity, std::uint64_t version);

  /// Puts a kept version in place, byte for byte. What stood there becomes a snapshot first, so that this can be taken
  /// back too; also when it cannot be read. Gives the profile as it is now.
  Result<StoredProfile> rollback(const EntityKey& entity, std::uint64_t version, Time now);

  /// Takes the profile and every trace of it off the disk. Killed in between it can be called again.
  Result<ProfileErasure> remove(const EntityKey& entity);

  /// Rewrites the profile and every kept version of it: `redact` takes out of each what must go, and what it does not
  /// touch stays byte for byte. The text of a version that cannot be read as a profile is given to it as a body. No
  /// snapshot is made. Killed in between it can be called again.
  using Redact = std::function<void(Profile&)>;
  Result<ProfileErasure> redact(const EntityKey& entity, Time now, const Redact& redact);

  /// Where the profile's file is or would be, for showing and for an editor.
  Result<std::filesystem::path> path_of(const EntityKey& entity) const;

 private:
  struct Place {
    std::filesystem::path file;
    ProfileHistory history;
    std::shared_ptr<std::mutex> mutex;
  };
  using Locks = std::unordered_map<std::string, std::weak_ptr<std::mutex>>;

  ProfileFiles(std::filesystem::path root, std::size_t keep) : root_(std::move(root)), keep_(keep) {}
  Result<Place> place_of(const EntityKey& entity);
  std::shared_ptr<std::mutex> lock_of(const std::string& name);
  Status settle(Place& place, const std::optional<std::string>& current, Time now);
  Status replace(Place& place, const std::optional<std::string>& current, std::string_view content, Time now);
  static Result<StoredProfile> parsed(const std::filesystem::path& file, const EntityKey& entity,
                                      const std::string& content);
  Status note(const std::filesystem::path& path, std::string_view content, bool removed, ProfileErasure& erasure) const;

  std::filesystem::path root_;
  std::size_t keep_;
  Sync<Locks> locks_;
};

}  // namespace weft
