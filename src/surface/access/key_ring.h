#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "surface/access/api_key.h"
#include "weft/result.h"

namespace weft {

/// The keys of a workspace, in its file `keys.jsonl`, a line each, which its owner alone may read. A changed file is
/// read again within a second, so that a key that was revoked by the command is refused by a server that runs; the
/// first key counts at once. A ring that has lost all its keys lets nobody in: to revoke the last key, to empty the
/// file or to delete it opens nothing. Safe from many threads.
class KeyRing {
 public:
  explicit KeyRing(std::filesystem::path file, std::chrono::milliseconds look_every = std::chrono::seconds(1))
      : file_(std::move(file)), look_every_(look_every) {}
  /// The file of a workspace.
  static std::filesystem::path file_of(const std::filesystem::path& workspace) { return workspace / "keys.jsonl"; }

  /// All keys, oldest first. kInvalidArgument names the line that cannot be read.
  Result<std::vector<ApiKey>> keys() const;

  /// Makes and keeps a key. kConflict for a name that is taken.
  Result<NewKey> add(ApiKey about, Time now);

  /// Takes a key away, by its name or its id. kNotFound where there is none.
  Result<ApiKey> revoke(std::string_view name);

  /// The access that a key gives. kPermission where the ring does not hold it; a file that cannot be read lets nobody
  /// in.
  Result<Access> open(std::string_view key);

  /// Callers need a key: the file is there, even if it is empty or cannot be read, or it was there once while this
  /// program ran.
  bool guarded();

  /// No key is left to open anything with. False for a file that cannot be read, since it may hold some.
  bool empty();

 private:
  Status write(const std::vector<ApiKey>& keys) const;
  void look_again();

  const std::filesystem::path file_;
  const std::chrono::milliseconds look_every_;
  std::mutex mutex_;
  std::vector<ApiKey> known_;
  Status trouble_;  // of the last reading
  bool guarded_ = false;  // once it is, it stays so
  std::filesystem::file_time_type written_{};
  std::uintmax_t size_ = 0;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace weft
