#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// A file descriptor that closes itself.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();
  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }
  int release();

 private:
  int descriptor_ = -1;
};

/// The Error for the current errno, saying what was being done to which path.
Error file_error(std::string_view doing, const std::filesystem::path& path);

/// Writes all of the bytes where the file stands. `path` is for the error.
Status write_all(const FileHandle& file, std::string_view bytes, const std::filesystem::path& path);

/// The whole content. kNotFound if there is no such file.
Result<std::string> read_file(const std::filesystem::path& path);

/// Puts the content in place of whatever was there: readers see the old or the new file, never a part. With `durable`
/// the file and its folder are flushed to disk before it returns.
Status write_file(const std::filesystem::path& path, std::string_view content, bool durable);

/// Makes the folder and its parents.
Status make_folder(const std::filesystem::path& path);

/// Flushes a folder's list of names to disk, without which a new or renamed file may be gone after a power cut.
Status sync_folder(const std::filesystem::path& path);

/// An id as a file name that every file system takes and that leaves no folder: letters, digits, "-", "_" and inner
/// dots stay, everything else becomes %XX; what is longer than 150 bytes ends in a hash.
std::string encode_file_name(std::string_view id);

/// Keeps other processes out of a workspace for as long as it lives.
class WorkspaceLock {
 public:
  /// kConflict, naming the process, when another one holds the workspace.
  static Result<WorkspaceLock> take(const std::filesystem::path& workspace);

 private:
  explicit WorkspaceLock(FileHandle file) : file_(std::move(file)) {}
  FileHandle file_;
};

}  // namespace weft
