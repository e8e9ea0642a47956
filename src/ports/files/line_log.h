#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "ports/files/file_system.h"

namespace weft {

/// An append-only text file of lines, each written once and in order: the form in which people and their tools read
/// what happened. A line is there as a whole or not at all: what a crash cut off behind the last line break is taken
/// away when the log is opened. The file is read whole then, and not held. Safe from many threads; one process writes.
class LineLog {
 public:
  /// Opens or makes the file and its folder, and hands each line to `replay`, in order and without its break.
  static Result<std::unique_ptr<LineLog>> open(FileSystem& files, const std::filesystem::path& path,
                                               const std::function<void(std::string_view line)>& replay = {});

  /// Adds a line. It must hold no line break (kInvalidArgument). It is on disk when this returns success. After a
  /// failure nothing more is taken (kUnavailable) until the log is opened anew: what stands there is not known.
  Status append(std::string_view line);

  const std::filesystem::path& path() const { return path_; }
  /// Bytes that a crash had left behind the last whole line, taken away by `open`.
  std::uint64_t torn_bytes() const { return torn_; }

 private:
  LineLog(std::filesystem::path path, std::unique_ptr<OpenFile> file, std::uint64_t end, std::uint64_t torn)
      : path_(std::move(path)), file_(std::move(file)), end_(end), torn_(torn) {}

  std::filesystem::path path_;
  std::mutex mutex_;
  std::unique_ptr<OpenFile> file_;
  std::uint64_t end_ = 0, torn_ = 0;
  Status trouble_;
};

}  // namespace weft
