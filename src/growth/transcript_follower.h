#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "growth/transcripts.h"
#include "ports/files/line_log.h"

namespace weft {

/// How far a file of another agent was read. Holds no word of it: places, sizes and hashes, so that nothing of a person
/// is kept here.
struct ReadSoFar {
  std::string file;  ///< hash of its path
  std::uint64_t inode = 0;
  std::uint64_t at = 0;  ///< bytes that were worked off: all before the task that is open
  std::uint64_t head_bytes = 0, tail_bytes = 0;  ///< of the beginning, and of what stands before `at`
  std::string head, tail;  ///< hashes of these; another beginning is another file
  std::string session;  ///< as the file names it
  std::int64_t tasks = 0;  ///< that were counted
};

/// The log of how far transcripts were read for a scope, by its key.
std::filesystem::path followed_log(const std::filesystem::path& workspace, const ScopeKey& scope);

/// Which files are followed.
struct FollowedFiles {
  std::filesystem::path folder;  ///< with all below it, links to folders left out
  std::optional<TranscriptFormat> format;  ///< only these; none: all that are known
  std::chrono::seconds quiet{600};  ///< a task without a next one is over when its file rests for so long
};

/// Finds the tasks that other agents ended in files which grow: lines that are written on, and documents that are
/// written anew. A task is over when the person says something to its answer, or when its file rests; one that was not
/// answered yet may wait twelve times as long, since a tool may be at work or a person away. Only whole lines are read.
///
/// What was read is a line of a log, written when the caller says that the tasks are kept: after a crash between the
/// two they are found again, with the same ids. A file that was renamed goes on under its new name; one that became
/// shorter or begins otherwise is read from its beginning. One process at a time may use a log; not safe from several
/// threads.
class TranscriptFollower {
 public:
  /// What one look found in one file.
  struct Found {
    std::filesystem::path file;
    std::vector<TaskReport> reports;
    std::vector<std::string> problems;  ///< lines that cannot be read
    ReadSoFar so_far;
  };
  struct Look {
    std::vector<Found> found;
    bool more = false;  ///< there was more than one look takes
    std::optional<std::chrono::seconds> due;  ///< when the next task ends if nothing is written any more
    std::size_t files = 0;  ///< that hold transcripts
  };

  static Result<TranscriptFollower> open(FileSystem& files, const std::filesystem::path& log, FollowedFiles which);

  /// kNotFound where the folder is not there.
  Result<Look> look();
  /// The tasks of this file are kept. Also for files in which nothing was found.
  Status taken(const Found& found);

 private:
  /// Of this process: what spares reading a file that did not change.
  struct Seen {
    std::uint64_t size = 0;
    std::filesystem::file_time_type changed;
    std::optional<std::chrono::seconds> waits;  ///< quiet time after which a task in it is over
    bool is_transcript = false;
  };
  struct File {
    std::filesystem::path path;
    std::uint64_t size = 0, inode = 0;
    std::filesystem::file_time_type changed;
    std::chrono::seconds rests{0};
  };

  TranscriptFollower(FileSystem& files, FollowedFiles which) : files_(files), which_(std::move(which)) {}
  Result<std::vector<File>> list() const;
  Result<Found> read(const File& file, Seen& seen);
  Status read_lines(const File& file, Seen& seen, Found& found);
  Status read_document(const File& file, Seen& seen, Found& found);
  ReadSoFar so_far(const File& file) const;
  bool is_wanted(TranscriptFormat format) const;
  Status take_part(const File& file, std::string_view text, Seen& seen, Found& found);
  Status keep_small(const std::filesystem::path& log);

  FileSystem& files_;
  FollowedFiles which_;
  std::unique_ptr<LineLog> log_;
  std::size_t lines_ = 0;
  std::map<std::string, ReadSoFar> known_;  ///< by hash of the path
  std::map<std::filesystem::path, Seen> seen_;
};

}  // namespace weft
