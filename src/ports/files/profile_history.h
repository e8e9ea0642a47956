#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// Who had written what a snapshot holds.
enum class SnapshotOrigin {
  kWeft,    ///< written by Weft
  kPerson,  ///< found changed on disk
};

std::string_view to_string(SnapshotOrigin origin);  ///< "weft", "edit"

/// One kept version of a profile.
struct ProfileSnapshot {
  std::uint64_t version = 0;  ///< grows by one a snapshot, never used twice while any is kept
  Time taken;                 ///< when it was put aside, UTC, to the second
  SnapshotOrigin origin = SnapshotOrigin::kWeft;
  std::filesystem::path path;
};

/// The folder of kept versions of one profile, and of the two copies by which an edit is told from a write that was cut
/// off:
///
///   000007-20260221T063000Z-weft.md   a version, byte for byte as it stood
///   written.md                        what Weft wrote last, or an edit that was noticed
///   next.md                           what is being written: there before the profile, renamed to written.md after it
///
/// No lock of its own: its owner holds the profile's.
class ProfileHistory {
 public:
  explicit ProfileHistory(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Oldest first. No folder: none. Also takes away what a killed write left half done.
  Result<std::vector<ProfileSnapshot>> list() const;

  /// The bytes of a kept version; kNotFound, naming the kept ones, if it is not there.
  Result<std::string> read(std::uint64_t version) const;

  /// Every file of the folder, for erasure: also what is no snapshot.
  Result<std::vector<std::filesystem::path>> files() const;

  /// Keeps `content` as a new version, unless the newest one is the same.
  Status add(std::string_view content, SnapshotOrigin origin, Time now);

  /// Takes the oldest away until `keep` are left.
  Status prune(std::size_t keep);

  /// Nothing where there is no such copy.
  Result<std::optional<std::string>> written() const;
  Result<std::optional<std::string>> next() const;
  Status set_written(std::string_view content);
  Status set_next(std::string_view content);
  Status next_is_written();
  Status drop_next();
  Status drop_written();

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// Whether a file is what a killed `write_file` left beside "*.md".
bool is_torn_write(const std::filesystem::path& path);

}  // namespace weft
