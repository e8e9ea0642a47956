#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// One remembered end of a turn in the old form: a summary, when and where.
struct EndSummary {
  std::string summary;
  Time time;
  bool has_time = false;
  std::string user_id, group_id;  ///< both empty: the file does not say
  std::string place;  ///< name of the chat or another place, as the file has it
};

/// Something in a file that is no summary, and why.
struct SkippedSummary {
  std::size_t place = 0;  ///< line, or number of the entry from 1
  std::string why;
};

struct ReadSummaries {
  std::vector<std::pair<std::size_t, EndSummary>> entries;  ///< with their place
  std::vector<SkippedSummary> skipped;
};

/// Reads a file of summaries: a JSON array of texts or objects, an object with such an array in "summaries", or JSON
/// lines. An object has "summary" (or "action_summary", "content", "text"), "timestamp" (or "time"; RFC 3339, or
/// "YYYY-MM-DD HH:MM[:SS]" as UTC, or seconds since 1970), "user_id", "group_id", and "location" as a text or {"type",
/// "name", "id"}. Broken entries are skipped with the reason, never the rest of the file.
ReadSummaries read_summaries(std::string_view text);

/// The file end_summaries.json of a workspace, for the mode without cognitive memory: a JSON array, rewritten whole and
/// durably with each end. Safe from many threads.
class EndSummaries {
 public:
  explicit EndSummaries(std::filesystem::path path) : path_(std::move(path)) {}

  /// kCorrupt where the file is there and cannot be read: it is not overwritten.
  Status add(const EndSummary& summary);

  /// The newest of one user's private chats or of one group, oldest first.
  Result<std::vector<EndSummary>> recent(const std::string& user_id, const std::string& group_id, std::size_t limit);

  /// Takes out those of a user's private chats or of a group: all, or those before a moment. Gives how many went.
  Result<std::size_t> erase(const std::string& user_id, const std::string& group_id, const std::optional<Time>& before,
                            bool everything);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::mutex mutex_;
};

}  // namespace weft
