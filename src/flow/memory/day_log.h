#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/files/file_system.h"
#include "ports/store/store.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// Whether a text names a day as "2026-11-24".
bool is_day(const std::string& text);

/// One line of a day.
struct DayNote {
  Time time;
  std::string session;
  std::string title;  ///< subject of the session, for the heading above its first line
  std::string line;   ///< one line of Markdown without "- "
  std::string mark;   ///< its source, "SESSION/MESSAGE": a line is added once and erased by its mark
};

/// The days of a scope (002, 2.1):
///
///     ## 10:30 - Compare the rivals <!-- today -->
///     - **User**: Compare the rivals' prices. <!-- today/m1 -->
///     - search_web {"query": "…"} → 3 results <!-- today/m2 -->
///
/// A day is a document of the store. Each of its versions holds the lines that were added with it, so the text of the
/// day is that of all versions in their order. Unless other programs share the store, the file YYYY-MM-DD.md of
/// `folder` shows each day. People may edit it, and their text becomes the day's. Lines at the end that the file lacks
/// are kept, since an editor may hold an older text, and a crash may have cut the file; a file that was removed is
/// written again. Days are removed by erasure.
///
/// Not safe for several threads.
class DayLog {
 public:
  static constexpr const char *kKind = "day", *kOriginalKind = "day_original";  ///< kinds of the documents

  /// `store` and `files` must outlive it. A file that was written less than `patience` ago is not written over: an
  /// editor may not have written all of it yet.
  DayLog(Store& store, FileSystem& files, ScopeKey scope, std::filesystem::path folder,
         std::chrono::milliseconds patience = std::chrono::seconds(2))
      : store_(store), files_(files), scope_(std::move(scope)), folder_(std::move(folder)), patience_(patience) {}

  /// Adds notes to `batch`, oldest first, each to its day; a note that its day has already is left out. Call `show`
  /// with the batch once it is written. The write is a kConflict if somebody else has written one of the days since.
  Status add(const std::vector<DayNote>& notes, WriteBatch& batch);
  /// Brings the files up to what was written.
  Status show(const WriteBatch& written);

  /// The text of a day, "YYYY-MM-DD"; kNotFound if there is none.
  Result<std::string> read(const std::string& day);

  /// The days that have a text, oldest first.
  Result<std::vector<std::string>> days();

  /// The headings of a day, "10:30 - Compare the rivals", without those of one session.
  Result<std::vector<std::string>> headings(const std::string& day, const std::string& but_session);

  /// Removes the lines whose mark `goes` from all days, and from headings the words that were made of these lines. A
  /// day without any line left is removed. Returns the number of lines removed.
  Result<std::size_t> erase(const std::function<bool(std::string_view mark)>& goes);

  /// Removes all days.
  Status erase_all();

  /// Replaces each day before `day` with what `summarise` makes of it, except those that are summaries already.
  /// `keep_originals`: the whole day is kept in the folder "originals". Returns the number of days shortened.
  Result<std::size_t> shorten(const std::string& day, const std::function<std::string(std::string_view)>& summarise,
                              bool keep_originals);

 private:
  struct Day {
    std::string kind, id = {};
    std::string text = {};
    std::int64_t version = 0;  ///< the newest one; 0: there is none
    std::vector<std::size_t> added = {};  ///< where the lines of a version begin in the text
    std::optional<FileRevision> revision = {};  ///< of the file that shows the text; none: no file shows it
  };
  /// Whether a file that an editor may be writing is written over.
  enum class Writes { kWhenQuiet, kAtOnce };
  using Change = std::function<std::optional<std::string>(std::string_view text)>;

  std::filesystem::path path_of(const Day& day) const;
  Result<Day> stored(const char* kind, const std::string& id) const;
  Result<Day> settled(const char* kind, const std::string& id, Writes writes = Writes::kWhenQuiet);
  static std::string edited_text(const Day& day, std::string edit);
  bool is_quiet(const std::filesystem::path& path) const;
  Status show_whole(Day& day, const std::string& text);
  Status append_to_file(const std::string& added);
  void put_whole(const Day& day, const std::string& text, WriteBatch& batch) const;
  Status replace(Day& day, std::string text, WriteBatch batch = {});
  Result<bool> rewrite(const char* kind, const std::string& id, const Change& change);
  Result<bool> shorten_one(const std::string& id, const std::function<std::string(std::string_view)>& summarise,
                           bool keep_original);
  Result<std::vector<std::string>> days_of(const char* kind);
  Result<const Day*> current(const std::string& day);

  Store& store_;
  FileSystem& files_;
  const ScopeKey scope_;
  const std::filesystem::path folder_;
  const std::chrono::milliseconds patience_;
  Day last_;  ///< that was added to last; no id: none
};

/// A short form of a day, made without a model: each heading with its first line, which is the request, and its last
/// one, which is the result.
std::string shorten_day(std::string_view text);

}  // namespace weft
