#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
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

/// Documents that people read and edit as files. The truth is in the store: a version is a row, written in the
/// transaction of what changes it, so that nothing is between two files after a crash. The file shows the newest
/// version; a row of the store says which version it showed last, and by that an edit is told from a file that is
/// behind. An edit becomes a version of its own; where Weft has written a version since the edited one, both are
/// merged line by line. A file that a person removed ends the document (a version without text). A folder of a former
/// release, whose earlier versions were files only, is taken in when a document is first read.
///
/// A document without text is none. Safe from many threads; one process at a time (the workspace's lock).
class DocumentFiles {
 public:
  static constexpr std::uint64_t kMaxBytes = 1 << 20;  ///< of a file

  explicit DocumentFiles(Store& store) : store_(store) {}

  /// The text that holds now: of the newest version, or what a person made of its file since. Waits for nobody and
  /// writes nothing.
  Result<std::string> glance(const DocumentPlace& place) const;

  /// Whether there is no version of it, whatever its file says.
  Result<bool> is_new(const DocumentPlace& place) const;

  /// The file is gone by no edit: it is written again by the next call of `read`.
  Status forget_shown(const DocumentPlace& place);

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
  Result<DocumentRow> settle(const DocumentPlace& place, Time now, bool any_size);
  Status take_in(const DocumentPlace& place, const State& at, Time now);
  Status show(const DocumentPlace& place, const DocumentRow& newest, WriteBatch batch);
  Status show_earlier(const DocumentPlace& place);
  std::shared_ptr<std::mutex> lock_of(const DocumentPlace& place);

  Store& store_;
  Sync<Locks> locks_;
};

}  // namespace weft
