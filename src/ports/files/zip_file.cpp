#include "ports/files/zip_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "text/utf8.h"

namespace weft {
namespace {

// Records of the format, by their signatures and the number of bytes before their names.
constexpr std::uint32_t kLocal = 0x04034B50, kListed = 0x02014B50, kEnd = 0x06054B50, kEnd64 = 0x06064B50,
                        kLocator64 = 0x07064B50;
constexpr std::size_t kLocalSize = 30, kListedSize = 46, kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint64_t kMostList = 128 * 1024 * 1024;  // bytes
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // the number is in the 64-bit record
constexpr std::uint16_t kExtra64 = 1, kEncrypted = 1, kStored = 0, kDeflated = 8;
constexpr std::size_t kPiece = 256 * 1024;

// A little-endian number; 0 behind the end.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t out = 0;
  if (at > bytes.size() || bytes.size() - at < size) return 0;
  for (std::size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}
std::uint16_t number16(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(number(bytes, at, 2));
}
std::uint32_t number32(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(number(bytes, at, 4));
}

// Those of the three numbers that did not fit 32 bits are in an extra record, in this order.
void read_extra64(std::string_view extra, ZipFile::Entry& entry) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::size_t size = number16(extra, at + 2);
    if (number16(extra, at) == kExtra64) {
      std::size_t next = at + 4;
      for (std::uint64_t* one : {&entry.size, &entry.packed, &entry.place}) {
        if (*one != kIn64) continue;
        *one = number(extra, next, 8);
        next += 8;
      }
      return;
    }
    at += 4 + size;
  }
}

struct Inflater {
  z_stream stream{};
  bool open = inflateInit2(&stream, -MAX_WBITS) == Z_OK;  // without a header of zlib's own
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (open) inflateEnd(&stream);
  }
};

}  // namespace

bool is_zip_file(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return false;
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char begin[4] = {};
  if (!file.open() || ::pread(file.get(), begin, sizeof begin, 0) != sizeof begin) return false;
  const auto signature = number32({begin, sizeof begin}, 0);
  return signature == kLocal || signature == kEnd;
}

Error ZipFile::broken(const std::string& what) const {
  return corrupt(path_.string() + ": " + what, "download the archive again; it may be cut off");
}

Result<ZipFile> ZipFile::open(const std::filesystem::path& path) {
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (!file.open() || ::fstat(file.get(), &info) != 0) return file_error("open", path);
  ZipFile zip(path, std::move(file), static_cast<std::uint64_t>(info.st_size));
  WEFT_CHECK(zip.read_list());
  return zip;
}

Result<std::string> ZipFile::bytes(std::uint64_t from, std::uint64_t count) const {
  if (from > size_ || size_ - from < count) return broken("a record leads behind the end of the file");
  std::string out(count, '\0');
  for (std::size_t at = 0; at < out.size();) {
    const ssize_t got = ::pread(file_.get(), out.data() + at, out.size() - at, static_cast<off_t>(from + at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", path_);
    if (got == 0) return broken("the file became shorter while it was read");
    at += static_cast<std::size_t>(got);
  }
  return out;
}

// The list stands at the end of the file; only a comment may follow it.
Status ZipFile::read_list() {
  const std::uint64_t tail_size = std::min<std::uint64_t>(size_, kEndSize + kLongestComment);
  WEFT_TRY(const std::string tail, bytes(size_ - tail_size, tail_size));
  std::size_t end = tail.size() < kEndSize ? std::string::npos : tail.size() - kEndSize;
  while (end != std::string::npos && number32(tail, end) != kEnd) end = end == 0 ? std::string::npos : end - 1;
  if (end == std::string::npos) return broken("it has no list of its entries");
  std::uint64_t count = number16(tail, end + 10), size = number32(tail, end + 12), place = number32(tail, end + 16);
  const std::uint64_t end_place = size_ - tail_size + end;
  if (count == 0xFFFF || size == kIn64 || place == kIn64) {
    if (end_place < kLocator64Size) return broken("its list of entries is not where it says");
    WEFT_TRY(const std::string locator, bytes(end_place - kLocator64Size, kLocator64Size));
    if (number32(locator, 0) == kLocator64) {
      WEFT_TRY(const std::string record, bytes(number(locator, 8, 8), kEnd64Size));
      if (number32(record, 0) != kEnd64) return broken("its list of entries is not where it says");
      count = number(record, 32, 8), size = number(record, 40, 8), place = number(record, 48, 8);
    }
  }
  if (count > kMostEntries || size > kMostList)
    return too_large(fmt::format("{} lists {} entries, more than {}", path_.string(), count, kMostEntries),
                     "unpack it and give the folder or the file with the conversations");
  WEFT_TRY(const std::string list, bytes(place, size));
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (number32(list, at) != kListed || list.size() - at < kListedSize)
      return broken("its list of entries is damaged");
    const std::size_t name = number16(list, at + 28), extra = number16(list, at + 30),
                      comment = number16(list, at + 32);
    if (list.size() - at - kListedSize < name + extra + comment) return broken("its list of entries is damaged");
    Entry entry{repair_utf8(list.substr(at + kListedSize, name)),
                number32(list, at + 24),
                number32(list, at + 20),
                number32(list, at + 42),
                number32(list, at + 16),
                number16(list, at + 10),
                number16(list, at + 8)};
    read_extra64(std::string_view(list).substr(at + kListedSize + name, extra), entry);
    at += kListedSize + name + extra + comment;
    if (!entry.name.empty() && entry.name.back() != '/') entries_.push_back(std::move(entry));
  }
  return {};
}

Result<std::string> ZipFile::read(const Entry& entry, std::uint64_t most) const {
  const std::string what = path_.string() + ": " + entry.name;
  if (entry.size > most)
    return too_large(fmt::format("{} has {} bytes unpacked, more than {}", what, entry.size, most),
                     "unpack the archive and give smaller files one by one");
  if (entry.size > kSmallEntry && entry.size / kMostGrowth > entry.packed)
    return too_large(fmt::format("{} unpacks to more than {} times its size", what, kMostGrowth),
                     "no export is like that; unpack the archive yourself if you trust it");
  if ((entry.flags & kEncrypted) != 0)
    return invalid_argument(what + " is encrypted", "unpack the archive and give the folder");
  if (entry.method != kStored && entry.method != kDeflated)
    return invalid_argument(fmt::format("{} is packed by method {}, which is not read", what, entry.method),
                            "unpack the archive and give the folder");
  WEFT_TRY(const std::string head, bytes(entry.place, kLocalSize));
  if (number32(head, 0) != kLocal) return broken("the entry " + entry.name + " is not where the list says");
  const std::uint64_t from = entry.place + kLocalSize + number16(head, 26) + number16(head, 28);
  auto content = entry.method == kDeflated    ? inflate_entry(entry, from)
                 : entry.size == entry.packed ? bytes(from, entry.size)
                                              : broken("the entry " + entry.name + " has two sizes");
  if (!content.ok()) return content;
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(content->data()), content->size());
  if (crc != entry.crc) return broken("the entry " + entry.name + " has another checksum than the list says");
  return content;
}

Result<std::string> ZipFile::inflate_entry(const Entry& entry, std::uint64_t from) const {
  Inflater inflater;
  if (!inflater.open) return unavailable("cannot unpack " + path_.string() + ": no memory");
  z_stream& stream = inflater.stream;
  std::string out, piece, room(kPiece, '\0');
  std::uint64_t left = entry.packed;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (stream.avail_in == 0) {
      const std::uint64_t some = std::min<std::uint64_t>(left, kPiece);
      if (some == 0) return broken("the entry " + entry.name + " is cut off");
      WEFT_TRY(piece, bytes(from, some));
      from += some, left -= some;
      stream.next_in = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_in = static_cast<uInt>(some);
    }
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) return broken("the entry " + entry.name + " is damaged");
    out.append(room, 0, room.size() - stream.avail_out);
    if (out.size() > entry.size) return broken("the entry " + entry.name + " is larger than the list says");
  }
  if (out.size() != entry.size) return broken("the entry " + entry.name + " is smaller than the list says");
  return out;
}

}  // namespace weft
