#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ports/files/file_system.h"

namespace weft {

/// An append-only log of records in one file that is allocated ahead, so that a flush writes data and no metadata.
/// Record: u32 size, u32 checksum (XXH3 of the bytes), bytes. What is no record is passed over: behind the last one it
/// is the end or a torn write, between two it is damage, and is told.
///
/// A flush that failed may have dropped what it should have written, and the next one would succeed without it. So
/// nothing is promised any more after one, until `rewrite` has made a new file. All functions may be called from many
/// threads.
class Journal {
 public:
  /// Bytes between two records that are none themselves.
  struct Damage {
    std::uint64_t place = 0;
    std::string bytes;
  };

  /// Opens or makes the file and hands every whole record to `replay`, in order.
  static Result<std::unique_ptr<Journal>> open(FileSystem& files, const std::filesystem::path& path,
                                               const std::function<void(std::string_view)>& replay,
                                               std::vector<Damage>& damage);

  /// Appends a record. With `durable` it returns when the record is on disk; callers that wait at the same time share
  /// one flush. Without, the record is on disk after the next durable one.
  Status append(std::string_view record, bool durable);

  /// Puts a log of these records in place of the whole: after a crash the old or the new one is there. They must hold
  /// all that is still needed, also of what is appended at the same time.
  Status rewrite(const std::vector<std::string>& records);

  /// Why nothing can be promised; success where all is well.
  Status trouble() const;
  std::uint64_t bytes() const;

 private:
  Journal(FileSystem& files, std::filesystem::path path) : files_(files), path_(std::move(path)) {}
  Status reserve(std::uint64_t size);
  Status flush_up_to(std::uint64_t count);
  Status put_in_place(const std::vector<std::string>& records);
  Status give_up(Status failed);

  FileSystem& files_;
  std::filesystem::path path_;
  std::mutex flush_mutex_;  ///< held by the one that flushes for all who wait; taken before the other
  mutable std::mutex mutex_;  ///< of what follows
  std::unique_ptr<OpenFile> file_;
  Status trouble_;
  std::uint64_t end_ = 0;  ///< of the log, bytes
  std::uint64_t reserved_ = 0;
  std::uint64_t appended_ = 0, flushed_ = 0;  ///< records since the log was opened
};

}  // namespace weft
