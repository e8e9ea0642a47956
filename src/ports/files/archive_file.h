#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/files/file_system.h"
#include "weft/result.h"

namespace weft::tar {

// The heads of tar: blocks of 512 bytes, numbers as octal text.

inline constexpr std::size_t kBlock = 512;
inline constexpr char kFile = '0', kFolder = '5', kExtended = 'x';

struct Head {
  std::string name;
  std::uint64_t size = 0;
  char kind = kFile;
};

/// How much stands behind `size` bytes until the next block begins.
constexpr std::uint64_t padding(std::uint64_t size) { return (kBlock - size % kBlock) % kBlock; }

/// Whether a head can say it all; else an extended one has to come before it.
bool fits(const Head& head);

/// A block. Of a name that does not fit its end stands there.
std::string write_head(const Head& head);

/// The body of an extended head: "30 path=…\n".
std::string write_extended(const Head& head);

/// kCorrupt where the checksum is not that of the block, or a number is none.
Result<Head> read_head(std::string_view block);

/// Takes what an extended head says into the head that follows it. kCorrupt for a body that is none.
Status take_extended(std::string_view body, Head& head);

}  // namespace weft::tar

namespace weft {

// One file that holds many: tar as POSIX.1-2001 has it, compressed by gzip, so that every system opens it without
// Weft. Names are relative paths. Both ways hold a small part of it in memory, whatever its size. One thread uses one.

/// Whether a file begins as a ZIP does.
bool is_zip_file(const std::filesystem::path& path);

/// Reads a ZIP that another program made, stored or deflated, with or without the 64-bit records; nothing is written to
/// disk. Safe against hostile archives: a bounded number of entries, and no entry grows beyond the size that the
/// archive's list gives it nor beyond what its caller allows. One thread uses one.
class ZipFile {
 public:
  struct Entry {
    std::string name;  ///< as the archive has it, made UTF-8; may lead anywhere, so it is no path
    std::uint64_t size = 0;  ///< unpacked, as the archive's list says
    std::uint64_t packed = 0;  ///< in the archive
    std::uint64_t place = 0;  ///< of its header in the file
    std::uint32_t crc = 0;
    std::uint16_t method = 0, flags = 0;
  };

  static constexpr std::size_t kMostEntries = 200'000;
  /// From this unpacked size on, an entry may be at most `kMostGrowth` times as large as what is packed.
  static constexpr std::uint64_t kSmallEntry = 8 * 1024 * 1024;
  static constexpr std::uint64_t kMostGrowth = 200;

  /// Reads the archive's list. kCorrupt for what is not a whole ZIP, kTooLarge for one with too many entries.
  static Result<ZipFile> open(const std::filesystem::path& path);

  /// The files in it, without folders, in the order of its list.
  const std::vector<Entry>& entries() const { return entries_; }

  /// The content of an entry. kTooLarge where that is more than `most` bytes, or more than text grows by unpacking;
  /// kInvalidArgument where it is encrypted or packed in another way; kCorrupt where it is damaged.
  Result<std::string> read(const Entry& entry, std::uint64_t most) const;

 private:
  ZipFile(std::filesystem::path path, FileHandle file, std::uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}
  Result<std::string> bytes(std::uint64_t from, std::uint64_t count) const;
  Status read_list();
  Result<std::string> inflate_entry(const Entry& entry, std::uint64_t from) const;
  Error broken(const std::string& what) const;

  std::filesystem::path path_;
  FileHandle file_;
  std::uint64_t size_;
  std::vector<Entry> entries_;
};

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
