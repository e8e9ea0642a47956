#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

namespace weft {

/// A file that is open for reading and writing. What is written is on disk when `sync` has returned success, not
/// before.
class OpenFile {
 public:
  virtual ~OpenFile() = default;
  virtual Status write_at(std::string_view bytes, std::uint64_t at) = 0;
  virtual Status sync() = 0;
};

/// How a file stands: another one after every edit that a person can make between two looks.
struct FileRevision {
  std::uint64_t size = 0;
  std::int64_t changed = 0;  ///< when, in a unit of the file system's own

  friend bool operator==(const FileRevision&, const FileRevision&) = default;
};

/// The operations on files that durable data depends on, so that a test can be a disk which loses what was not flushed.
/// Changes of names (a new file, a rename, a removal) are on disk when their folder was flushed. Safe from many
/// threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Opens a file, empty where it was not there.
  virtual Result<std::unique_ptr<OpenFile>> open(const std::filesystem::path& path) = 0;
  /// The whole content. kNotFound if there is no such file.
  virtual Result<std::string> read(const std::filesystem::path& path) = 0;
  /// Nothing where there is no such file, or it cannot be looked at.
  virtual std::optional<FileRevision> revision(const std::filesystem::path& path) = 0;
  /// The files of a folder, in no order.
  virtual Result<std::vector<std::filesystem::path>> list(const std::filesystem::path& folder) = 0;
  virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  /// Success also where there is none.
  virtual Status remove(const std::filesystem::path& path) = 0;
  virtual Status make_folder(const std::filesystem::path& path) = 0;
  virtual Status sync_folder(const std::filesystem::path& path) = 0;
};

/// The machine's own files. Has no state.
FileSystem& disk();

/// Puts the content in place of whatever was there: readers see the old or the new file, never a part. With `durable`
/// the file and its folder are flushed before it returns.
Status write_file(FileSystem& files, const std::filesystem::path& path, std::string_view content, bool durable);

}  // namespace weft
