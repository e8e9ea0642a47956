#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "surface/access/access.h"
#include "text/record.h"
#include "weft/config.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// The SHA-256 digest of a text, in hexadecimal; empty where it could not be made.
std::string sha256_of(std::string_view text);

/// A key of the server as it is kept: its secret only as a digest.
struct ApiKey {
  std::string id;  ///< stands in the key itself and finds it again
  std::string name;
  std::string digest;  ///< SHA-256 of the whole key, in hexadecimal
  Right right = Right::kRead;
  std::vector<std::string> users, groups;  ///< see `Access`
  Time created;

  Access access() const { return {name, right, users, groups}; }
};
WEFT_DESCRIBED(ApiKey);

/// A key as lists show it: without the digest, by which nobody needs to know it.
struct ListedKey {
  std::string id, name;
  Right right = Right::kRead;
  std::vector<std::string> users, groups;
  Time created;
};
WEFT_DESCRIBED(ListedKey);
ListedKey listed(const ApiKey& key);

/// A new key: what is kept of it, and the key itself, which is shown once.
struct NewKey {
  ApiKey kept;
  std::string key;  ///< "weft_ID_SECRET"
};

/// Draws a key from the system's source of randomness. `about` gives name, right, users and groups; the name must be an
/// id, and a key with the right to administrate is for nobody in particular (kInvalidArgument).
Result<NewKey> make_key(ApiKey about, Time now);

/// The id within a key; empty for a text that is none.
std::string_view id_of_key(std::string_view key);

/// Whether a key of a Weft server stands somewhere in the text: of this server or another, valid or revoked.
bool holds_key(std::string_view text);

/// The text is this key. Takes the same time wherever they differ.
bool is_key(const ApiKey& kept, std::string_view key);

/// Two secrets are the same; takes the same time wherever they differ.
bool same_secret(std::string_view given, std::string_view wanted);

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

/// The address belongs to this machine alone: "localhost", "::1", or an IPv4 address that begins with 127.
bool is_loopback(const std::string& host);

/// Whether a server may start with these settings. kPermission for one that listens on another address than loopback
/// without a key, kInvalidArgument for settings that make no address.
Status check_door(const ServerSettings& settings, KeyRing& keys);

}  // namespace weft
