#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ports/files/file_system.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// One line of a day.
struct DayNote {
  Time time;
  std::string session;
  std::string title;  ///< what the session is about; stands at the head when a session begins or is taken up again
  std::string line;   ///< one line of Markdown without "- "
  std::string mark;   ///< of what it was made from, "SESSION/MESSAGE": by it the line is known again, and erased
};

/// What happened, a file a day, YYYY-MM-DD.md (002, 2.1):
///
///     ## 10:30 - Compare the rivals <!-- today -->
///     - **User**: Compare the rivals' prices. <!-- today/m1 -->
///     - search_web {"query": "…"} → 3 results <!-- today/m2 -->
///
/// Lines are added at the end, each once; text of people stays. One writer, which knows where the day that it wrote
/// last ends and reads it again only when somebody else has changed it; not safe for several threads.
class DayLog {
 public:
  DayLog(FileSystem& files, std::filesystem::path folder) : files_(files), folder_(std::move(folder)) {}

  /// Adds notes, oldest first, each to its day; those that stand there already are passed over. What a crash cut off in
  /// the middle of a line is written anew.
  Status add(const std::vector<DayNote>& notes);

  /// A day as it stands, "YYYY-MM-DD"; kNotFound where nothing happened.
  Result<std::string> read(const std::string& day) const;

  /// The days that there are, oldest first.
  Result<std::vector<std::string>> days() const;

  /// The headings of a day, "10:30 - Compare the rivals", without those of one session.
  Result<std::vector<std::string>> headings(const std::string& day, const std::string& but_session) const;

  /// Takes the lines whose mark `goes` out of all days, and the words of headings that were made of them. A day without
  /// any line left goes as a whole. Gives how many lines went.
  Result<std::size_t> erase(const std::function<bool(std::string_view mark)>& goes);

  /// Removes all files.
  Status erase_all();

  /// Puts what `summarise` makes of it in the place of each day before `day`, but for those that are summaries already.
  /// `keep_originals`: the whole day stays in the folder "originals". Gives how many days were shortened.
  Result<std::size_t> shorten(const std::string& day, const std::function<std::string(std::string_view)>& summarise,
                              bool keep_originals);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  Result<std::size_t> erase_in_day(const std::string& day, const std::function<bool(std::string_view mark)>& goes);
  std::filesystem::path path_of(const std::string& day) const { return folder_ / (day + ".md"); }
  Status add_to_day(const std::string& day, const std::vector<const DayNote*>& notes);

  /// How a day stands, as far as one needs it who adds to it.
  struct End {
    std::string day;  ///< empty: none is known
    std::optional<FileRevision> revision;
    std::uint64_t size = 0;
    std::string session;  ///< of the last heading
    std::string torn;  ///< of a line that a crash cut off: what of it stands there
    std::unordered_set<std::string> marks;
  };
  Result<End> end_of(const std::string& day) const;
  static std::string lines_for(const std::vector<const DayNote*>& notes, End& end);
  Status append(const std::filesystem::path& path, const std::string& added, End& end);

  FileSystem& files_;
  std::filesystem::path folder_;
  End end_;
};

/// A day in short without a model: each heading with its first and its last line, which are what was asked for and what
/// came of it.
std::string shorten_day(std::string_view text);

}  // namespace weft
