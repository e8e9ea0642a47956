#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "ports/files/file.h"

namespace weft {

/// An append-only log of records in one file that is allocated ahead, so that a flush writes data and no metadata.
/// Record: u32 size, u32 checksum (XXH3 of the bytes), bytes; a size of 0 ends the log. A torn last record is ignored.
/// All functions may be called from many threads.
class Journal {
 public:
  /// Opens or makes the file and hands every whole record to `replay`, in order.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& path,
                                               const std::function<void(std::string_view)>& replay);

  /// Appends a record. With `durable` it returns when the record is on disk; callers that wait at the same time share
  /// one flush. Without, the record is on disk after the next durable one.
  Status append(std::string_view record, bool durable);

  /// Empties the log. Nothing may be appended meanwhile that is still needed.
  Status clear();

  std::uint64_t bytes() const;

 private:
  Journal(FileHandle file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}
  Status reserve(std::uint64_t size);
  Status flush_up_to(std::uint64_t end);

  FileHandle file_;
  std::filesystem::path path_;
  mutable std::mutex mutex_;  ///< of the end of the log
  std::uint64_t end_ = 0;
  std::uint64_t reserved_ = 0;
  std::mutex flush_mutex_;  ///< held by the one that flushes for all who wait
  std::uint64_t flushed_ = 0;
};

}  // namespace weft
