#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "ports/store/store.h"
#include "text/line_diff.h"
#include "weft/result.h"

namespace weft {

/// The name, without ".md", under which an id's profile lies: `encode_file_name`, and names that Windows keeps for
/// devices ("con") with their first letter encoded, since workspaces are copied. kInvalidArgument for ids that are
/// none.
Result<std::string> profile_file_name(std::string_view id);

/// The id of a name; nothing if the name is not one that `profile_file_name` gives, or is one that was shortened.
std::optional<std::string> profile_id_of(std::string_view file_name);

/// The kind of the rows that keep the version and the text that a file showed last.
inline constexpr const char* kShownDocument = "shown";

/// Authors of versions: a person who edited the file, and Weft.
inline constexpr const char *kByPerson = "edit", *kByWeft = "weft";

/// Whether a log entry says that a document of this kind has a new version.
bool is_change_of(const LogEntry& entry, std::string_view kind);
/// The document that an entry of `LogKind::kDocument` names.
DocumentKey changed_document(const LogEntry& entry);

/// Where a document lies: its rows in the store, and the files that show it.
struct DocumentPlace {
  ScopeKey scope;
  std::string kind, id;
  std::filesystem::path file;
  std::filesystem::path earlier;  ///< folder that shows the earlier versions; empty: they are not shown
  std::size_t keep = 0;           ///< earlier versions that are kept
  /// Does to a text what an edit does to the version that was edited. Null: an edit replaces what Weft has written
  /// since.
  std::string (*merge)(std::string_view edited, std::string_view newest, std::string_view edit) = merge_lines;
  bool heeds_read_only = true;  ///< a read-only file refuses a change; false: it is replaced
  static constexpr std::uint64_t kMaxBytes = 1 << 20;
  std::uint64_t max_bytes = kMaxBytes;  ///< of a text
};

/// Documents that people read and edit as files. The versions of a document are rows of the store, written in the
/// transaction of what changes them. The file shows the newest version. A row keeps the text that the file showed last,
/// so that a file which a crash left at an older version is not taken for an edit.
///
/// An edit becomes a version. If Weft has written a version since the edited one, the two are merged
/// (`DocumentPlace::merge`), by default line by line.
///
/// A file that a person removes or empties ends the document: the document gets a version without text. A file whose
/// whole folder was removed is written again.
///
/// Files of a former release have no rows; the first `read` of a document takes them in.
///
/// The documents of a store that other programs share have no files: the file of one program would not know what
/// another one has written, and would be taken for an edit.
///
/// Safe from many threads; one process at a time (the workspace's lock).
class DocumentFiles {
 public:
  /// A file counts as removed once it has been missing or empty for `patience`: `rm -r` of its folder removes files one
  /// by one before the folder, and an editor empties a file before it writes.
  explicit DocumentFiles(Store& store, std::chrono::milliseconds patience = std::chrono::seconds(2))
      : store_(store), patience_(patience) {}

  /// The current text, edits of the file included. Takes no lock and writes nothing.
  Result<std::string> glance(const DocumentPlace& place) const;

  /// Whether the store has no version of the document, even if there is a file.
  Result<bool> is_new(const DocumentPlace& place) const;

  /// The newest version; number 0: there never was one. Before that it takes in an edit, and writes the file if it
  /// shows an older version. If not `any_file`: kTooLarge for a file of more than `max_bytes`, kCorrupt for one that is
  /// no UTF-8.
  Result<DocumentRow> read(const DocumentPlace& place, Time now, bool any_file = false);

  /// The kept versions before the newest one, oldest first, without those that have no text.
  Result<std::vector<DocumentRow>> earlier(const DocumentPlace& place);

  /// Adds the version that follows `newest` (from `read`) to `batch`, unless the text is the same. Writing the batch
  /// fails with kConflict if another version was written since. Call `read` after the write: it shows the version.
  /// kPermission if the file is read-only and the place heeds it.
  Status change(const DocumentPlace& place, const DocumentRow& newest, std::string text, Time now,
                WriteBatch& batch) const;

  /// Reads, changes, writes and shows; repeats this if another version was written in between. If `make` fails, its
  /// error is returned and nothing is written.
  using Make = std::function<Result<std::string>(const std::string& before)>;
  Result<DocumentRow> update(const DocumentPlace& place, Time now, const Make& make, bool any_file = false);

  /// Moves the file that shows a document; `place` names the former file. A file that is at `to` already is replaced.
  Status move(const DocumentPlace& place, const std::filesystem::path& to, Time now);

  /// For erasure: rewrites the text of every kept version in place, in the store and on disk. Returns how many texts
  /// have changed. Can be repeated after a crash.
  using Rewrite = std::function<Result<std::string>(const std::string& text)>;
  Result<std::size_t> rewrite(const DocumentPlace& place, Time now, const Rewrite& rewrite);

  /// Removes the document from store and disk. Returns how many versions or files there were, whichever is more. Can be
  /// repeated after a crash.
  Result<std::size_t> remove(const DocumentPlace& place);

 private:
  struct State;

  Result<State> state(const DocumentPlace& place, bool any_file) const;
  Result<std::string> edited_version(const DocumentPlace& place, const State& at, std::string_view file) const;
  bool is_removed_for_good(const DocumentPlace& place) const;
  Result<DocumentRow> settle(const DocumentPlace& place, Time now, bool any_file);
  Status take_in(const DocumentPlace& place, const State& at, Time now);
  Status show(const DocumentPlace& place, const DocumentRow& newest, WriteBatch batch);
  Status show_earlier(const DocumentPlace& place);

  Store& store_;
  const std::chrono::milliseconds patience_;
  mutable Sync<std::map<std::string, std::chrono::steady_clock::time_point>> missing_;  ///< files, since when
  KeyLocks locks_;  ///< by file
};

}  // namespace weft
