#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ports/files/file.h"
#include "weft/result.h"

namespace weft {

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

}  // namespace weft
