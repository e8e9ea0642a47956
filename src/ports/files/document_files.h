#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/sync.h"
#include "ports/store/store.h"

namespace weft {

/// The kind of the rows that say which version a file showed last, with its text.
inline constexpr const char* kShownDocument = "shown";

/// Who wrote a version that was found in the file; every other version is Weft's own ("weft").
inline constexpr const char *kByPerson = "edit", *kByWeft = "weft";

/// Where a document lies: its rows in the store, and the files that show it.
struct DocumentPlace {
  ScopeKey scope;
  std::string kind, id;
  std::filesystem::path file;
  std::filesystem::path earlier;  ///< folder that shows the earlier versions; empty: they are not shown
  std::size_t keep = 0;           ///< earlier versions that are kept
};

/// Documents that people read and edit as files. The versions of a document are rows of the store, written in the
/// transaction of what changes them. The file shows the newest version, and a row keeps the text that the file shows:
/// by that text an edit is told from a file that a crash left at an older version.
///
/// - An edit becomes a version. Where the edited text is not the newest version any more, both are merged line by line.
/// - A file that a person removes ends the document: it gets a version without text, which counts as no document. A
/// file
///   that went with its whole folder is written again.
/// - Files of a former release, which had no rows, are taken in when a document is first read.
///
/// Safe from many threads; one process at a time (the workspace's lock).
class DocumentFiles {
 public:
  static constexpr std::uint64_t kMaxBytes = 1 << 20;  ///< of a file

  /// `patience`: a file must be missing for so long to count as removed, since a folder that is being removed loses its
  /// files one by one.
  explicit DocumentFiles(Store& store, std::chrono::milliseconds patience = std::chrono::seconds(2))
      : store_(store), patience_(patience) {}

  /// The text that holds now: of the newest version, or what a person made of its file since. Waits for nobody and
  /// writes nothing.
  Result<std::string> glance(const DocumentPlace& place) const;

  /// Whether the store has no version of it. There may be a file all the same.
  Result<bool> is_new(const DocumentPlace& place) const;

  /// The newest version, after an edit has become one and the file has been brought up to it; version 0: there never
  /// was one. kTooLarge, naming the file, where a person has made it larger than kMaxBytes, unless `any_size`.
  Result<DocumentRow> read(const DocumentPlace& place, Time now, bool any_size = false);

  /// The kept versions before the newest one, oldest first.
  Result<std::vector<DocumentRow>> earlier(const DocumentPlace& place);

  /// Adds to `batch` the version that follows `newest`, which `read` gave; nothing where the text is the same. Writing
  /// the batch is a kConflict where the document has moved on since. kPermission where nobody may write the file.
  Status change(const DocumentPlace& place, const DocumentRow& newest, std::string text, Time now,
                WriteBatch& batch) const;

  /// Reads, changes and writes: again where the document has moved on in between. An error of `make` is given on, and
  /// nothing is written.
  using Make = std::function<Result<std::string>(const std::string& before)>;
  Result<DocumentRow> update(const DocumentPlace& place, Time now, const Make& make, bool any_size = false);

  /// Rewrites every kept version without making one, in the store and on disk, for erasure. Gives how many have
  /// changed. Stopped in between it can be called again.
  using Rewrite = std::function<Result<std::string>(const std::string& text)>;
  Result<std::size_t> rewrite(const DocumentPlace& place, Time now, const Rewrite& rewrite);

  /// Takes the document off the store and the disk. Gives how many files and versions there were. Stopped in between it
  /// can be called again.
  Result<std::size_t> remove(const DocumentPlace& place);

 private:
  struct State;
  using Locks = std::unordered_map<std::string, std::weak_ptr<std::mutex>>;

  Result<State> state(const DocumentPlace& place, bool any_size) const;
  Result<std::string> edited_version(const DocumentPlace& place, const State& at, std::string_view file) const;
  bool is_removed_for_good(const DocumentPlace& place) const;
  Result<DocumentRow> settle(const DocumentPlace& place, Time now, bool any_size);
  Status take_in(const DocumentPlace& place, const State& at, Time now);
  Status show(const DocumentPlace& place, const DocumentRow& newest, WriteBatch batch);
  Status show_earlier(const DocumentPlace& place);
  std::shared_ptr<std::mutex> lock_of(const DocumentPlace& place);

  Store& store_;
  const std::chrono::milliseconds patience_;
  mutable Sync<std::map<std::string, std::chrono::steady_clock::time_point>> missing_;  ///< files, since when
  Sync<Locks> locks_;
};

}  // namespace weft
