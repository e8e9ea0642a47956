#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "weft/result.h"

/// One file that holds many: tar as POSIX.1-2001 has it, compressed by gzip, so that every system opens it without
/// Weft. Names are relative paths. Both ways hold a small part of it in memory, whatever its size. One thread uses one.
namespace weft {

struct GzipStream;

/// Writes one. What was not finished is removed again.
class ArchiveWriter {
 public:
  /// Makes the file, or writes over the one that is there.
  static Result<std::unique_ptr<ArchiveWriter>> open(const std::filesystem::path& path);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  /// Adds a file as it stands on disk.
  Status add(const std::string& name, const std::filesystem::path& file);

  /// Ends it. It is on disk when this returns success.
  Status finish();

 private:
  ArchiveWriter(std::filesystem::path path, std::unique_ptr<GzipStream> stream);
  Status put(std::string_view bytes);
  Status head(const std::string& name, std::uint64_t size, char kind);

  std::filesystem::path path_;
  std::unique_ptr<GzipStream> stream_;
  bool finished_ = false;
};

/// Reads one from its beginning. kCorrupt, with the place in the file, for what is none, was cut off or is damaged.
class ArchiveReader {
 public:
  static Result<std::unique_ptr<ArchiveReader>> open(const std::filesystem::path& path);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  struct Entry {
    std::string name;
    std::uint64_t size = 0;
  };

  /// The next file; nothing at the end. What was not read of the one before is passed over. Folders are passed over;
  /// anything else but files (links, devices) is kCorrupt.
  Result<std::optional<Entry>> next();

  /// Hands out what the file holds, in pieces.
  Status read(const std::function<Status(std::string_view bytes)>& take);

  /// How far it was read, in bytes of the file.
  std::uint64_t place() const;

 private:
  ArchiveReader(std::filesystem::path path, std::unique_ptr<GzipStream> stream);
  Status take(std::string& into, std::size_t size);
  Status pass_over();
  Status read_end();
  Result<std::string> extended(std::uint64_t size);
  Error broken(const std::string& what) const;

  std::filesystem::path path_;
  std::unique_ptr<GzipStream> stream_;
  std::uint64_t left_ = 0;  // of the file that was given last
  std::uint64_t padding_ = 0;  // behind it
};

}  // namespace weft
