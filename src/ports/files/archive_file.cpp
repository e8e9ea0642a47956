#include "ports/files/archive_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>

#include "ports/files/file_system.h"
#include "text/utf8.h"

namespace weft::tar {
namespace {

// Where the fields stand, as POSIX has them.
struct Field {
  std::size_t at, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12}, kTime{136, 12},
    kSum{148, 8}, kKind{156, 1}, kMagic{257, 8}, kPrefix{345, 155};
constexpr std::uint64_t kLargest = (std::uint64_t{1} << 33) - 1;  // eleven octal digits

void put(std::string& block, Field field, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), field.size), block.begin() + static_cast<std::ptrdiff_t>(field.at));
}

void put_number(std::string& block, Field field, std::uint64_t number) {
  put(block, field, fmt::format("{:0{}o}", number, field.size - 1));
}

std::string_view text_in(std::string_view block, Field field) {
  const std::string_view whole = block.substr(field.at, field.size);
  return whole.substr(0, whole.find('\0'));
}

Result<std::uint64_t> number_in(std::string_view block, Field field) {
  std::string_view text = text_in(block, field);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  if (failed != std::errc() || end != text.data() + text.size()) return corrupt("a number in a head is none");
  return number;
}

// Of all bytes, those of the sum itself counted as blanks.
std::uint64_t sum_of(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i)
    sum += i >= kSum.at && i < kSum.at + kSum.size ? std::uint64_t{' '} : static_cast<unsigned char>(block[i]);
  return sum;
}

// "LENGTH NAME=VALUE\n", where the length counts itself.
std::string extended_line(std::string_view name, std::string_view value) {
  std::size_t size = name.size() + value.size() + 3;
  std::size_t digits = 1;
  while (std::to_string(size + digits).size() > digits) ++digits;
  return fmt::format("{} {}={}\n", size + digits, name, value);
}

}  // namespace

bool fits(const Head& head) { return head.name.size() <= kName.size && head.size <= kLargest; }

std::string write_head(const Head& head) {
  std::string block(kBlock, '\0');
  put(block, kName, head.name);
  put_number(block, kMode, 0600);
  put_number(block, kOwner, 0);
  put_number(block, kGroup, 0);
  put_number(block, kSize, std::min(head.size, kLargest));
  put_number(block, kTime, 0);
  block[kKind.at] = head.kind;
  put(block, kMagic, std::string_view("ustar\00000", 8));
  put(block, kSum, fmt::format("{:06o}", sum_of(block)));
  block[kSum.at + 6] = '\0';
  block[kSum.at + 7] = ' ';
  return block;
}

std::string write_extended(const Head& head) {
  return extended_line("path", head.name) + extended_line("size", std::to_string(head.size));
}

Result<Head> read_head(std::string_view block) {
  if (block.size() != kBlock) return corrupt("a head is cut off");
  WEFT_TRY(const std::uint64_t sum, number_in(block, kSum));
  if (sum != sum_of(block)) return corrupt("a head has another checksum than its bytes");
  Head head;
  WEFT_TRY(head.size, number_in(block, kSize));
  const std::string_view prefix = text_in(block, kPrefix);
  head.name = (prefix.empty() ? "" : std::string(prefix) + "/") + std::string(text_in(block, kName));
  head.kind = block[kKind.at] == '\0' ? kFile : block[kKind.at];
  return head;
}

Status take_extended(std::string_view body, Head& head) {
  while (!body.empty() && body.front() != '\0') {
    std::size_t size = 0;
    const auto [end, failed] = std::from_chars(body.data(), body.data() + body.size(), size);
    const auto digits = static_cast<std::size_t>(end - body.data());
    if (failed != std::errc() || size > body.size() || size < digits + 3 || body[digits] != ' ' ||
        body[size - 1] != '\n')
      return corrupt("an extended head is none");
    const std::string_view line = body.substr(digits + 1, size - digits - 2);
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return corrupt("an extended head is none");
    const std::string_view value = line.substr(equals + 1);
    if (line.substr(0, equals) == "path") head.name = value;
    if (line.substr(0, equals) == "size" &&
        std::from_chars(value.data(), value.data() + value.size(), head.size).ec != std::errc())
      return corrupt("an extended head names no size");
    body.remove_prefix(size);
  }
  return {};
}

}  // namespace weft::tar

namespace weft {
namespace {

constexpr unsigned kBuffer = 256 * 1024;
constexpr std::uint64_t kLongestExtended = 64 * 1024;  // a path and a number

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

struct GzipStream {
  gzFile file = nullptr;
  ~GzipStream() {
    if (file != nullptr) gzclose(file);
  }
};

namespace {

// `doing` is "read" or "write"; `mode` as gzdopen has it.
Result<std::unique_ptr<GzipStream>> open_stream(const std::filesystem::path& path, const char* doing, int flags,
                                                const char* mode) {
  FileHandle file(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (!file.open()) return file_error(doing, path);
  auto stream = std::make_unique<GzipStream>();
  stream->file = gzdopen(file.get(), mode);
  if (stream->file == nullptr)
    return unavailable(std::string("cannot ") + doing + " " + path.string() + ": no memory for its compression");
  (void)file.release();
  gzbuffer(stream->file, kBuffer);
  return stream;
}

}  // namespace

// ---- writing ----

ArchiveWriter::ArchiveWriter(std::filesystem::path path, std::unique_ptr<GzipStream> stream)
    : path_(std::move(path)), stream_(std::move(stream)) {}

ArchiveWriter::~ArchiveWriter() {
  if (finished_) return;
  stream_ = nullptr;
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::open(const std::filesystem::path& path) {
  WEFT_TRY(auto stream, open_stream(path, "write", O_WRONLY | O_CREAT | O_TRUNC, "wb6"));
  return std::unique_ptr<ArchiveWriter>(new ArchiveWriter(path, std::move(stream)));
}

Status ArchiveWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto some = static_cast<unsigned>(std::min<std::size_t>(bytes.size(), std::numeric_limits<int>::max()));
    errno = 0;
    if (gzwrite(stream_->file, bytes.data(), some) != static_cast<int>(some)) return file_error("write", path_);
    bytes.remove_prefix(some);
  }
  return {};
}

Status ArchiveWriter::head(const std::string& name, std::uint64_t size, char kind) {
  const tar::Head head{name, size, kind};
  if (!tar::fits(head)) {
    const std::string body = tar::write_extended(head);
    WEFT_CHECK(put(tar::write_head(
        {"PaxHeaders/" + name.substr(name.size() > 80 ? name.size() - 80 : 0), body.size(), tar::kExtended})));
    WEFT_CHECK(put(body));
    WEFT_CHECK(put(std::string(tar::padding(body.size()), '\0')));
  }
  return put(tar::write_head(head));
}

Status ArchiveWriter::add(const std::string& name, const std::filesystem::path& file) {
  const FileHandle from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from.open()) return file_error("open", file);
  std::error_code code;
  const std::uint64_t size = std::filesystem::file_size(file, code);
  if (code) return unavailable("cannot look at " + file.string() + ": " + code.message());
  WEFT_CHECK(head(name, size, tar::kFile));
  std::string part(kBuffer, '\0');
  for (std::uint64_t left = size; left > 0;) {
    const ssize_t got = ::read(from.get(), part.data(), std::min<std::uint64_t>(part.size(), left));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", file);
    if (got == 0) return unavailable(file.string() + " became shorter while it was read", "try again");
    WEFT_CHECK(put(std::string_view(part).substr(0, static_cast<std::size_t>(got))));
    left -= static_cast<std::uint64_t>(got);
  }
  return put(std::string(tar::padding(size), '\0'));
}

Status ArchiveWriter::finish() {
  WEFT_CHECK(put(std::string(2 * tar::kBlock, '\0')));
  errno = 0;
  const int closed = gzclose(std::exchange(stream_->file, nullptr));
  if (closed != Z_OK) return file_error("write", path_);
  const FileHandle file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open() || ::fsync(file.get()) != 0) return file_error("flush", path_);
  finished_ = true;
  return {};
}

// ---- reading ----

ArchiveReader::ArchiveReader(std::filesystem::path path, std::unique_ptr<GzipStream> stream)
    : path_(std::move(path)), stream_(std::move(stream)) {}
ArchiveReader::~ArchiveReader() = default;

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(const std::filesystem::path& path) {
  WEFT_TRY(auto stream, open_stream(path, "read", O_RDONLY, "rb"));
  return std::unique_ptr<ArchiveReader>(new ArchiveReader(path, std::move(stream)));
}

std::uint64_t ArchiveReader::place() const { return static_cast<std::uint64_t>(gzoffset(stream_->file)); }

Error ArchiveReader::broken(const std::string& what) const {
  return corrupt(path_.string() + ": " + what + ", near byte " + std::to_string(place()), "use another copy of it");
}

Status ArchiveReader::take(std::string& into, std::size_t size) {
  into.resize(size);
  for (std::size_t got = 0; got < size;) {
    const int some = gzread(stream_->file, into.data() + got, static_cast<unsigned>(size - got));
    if (some < 0) {
      int code = 0;
      const char* const told = gzerror(stream_->file, &code);
      return code == Z_ERRNO ? file_error("read", path_) : broken(code == Z_BUF_ERROR ? "it was cut off" : told);
    }
    if (some == 0) return broken("it was cut off");
    got += static_cast<std::size_t>(some);
  }
  return {};
}

Status ArchiveReader::pass_over() {
  std::string part;
  for (std::uint64_t left = std::exchange(left_, 0) + std::exchange(padding_, 0); left > 0;) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, kBuffer));
    WEFT_CHECK(take(part, some));
    left -= some;
  }
  return {};
}

Result<std::string> ArchiveReader::extended(std::uint64_t size) {
  if (size > kLongestExtended) return broken("a name in it is longer than any");
  std::string body, padding;
  WEFT_CHECK(take(body, static_cast<std::size_t>(size)));
  WEFT_CHECK(take(padding, static_cast<std::size_t>(tar::padding(size))));
  return body;
}

// The end is two empty blocks, and as many more as the writer liked. The checksum of all stands behind them, and is
// compared by reading on.
Status ArchiveReader::read_end() {
  std::string part;
  WEFT_CHECK(take(part, tar::kBlock));
  for (bool more = true; more;) {
    if (part.find_first_not_of('\0') != std::string::npos) return broken("something stands behind its end");
    part.assign(tar::kBlock, '\0');
    const int got = gzread(stream_->file, part.data(), static_cast<unsigned>(part.size()));
    int code = Z_OK;
    const char* const told = gzerror(stream_->file, &code);
    if (got < 0 || code != Z_OK) return broken(code == Z_BUF_ERROR ? "it was cut off" : told);
    more = got > 0;
  }
  return {};
}

Result<std::optional<ArchiveReader::Entry>> ArchiveReader::next() {
  WEFT_CHECK(pass_over());
  std::string told;  // by an extended head
  for (;;) {
    std::string block;
    WEFT_CHECK(take(block, tar::kBlock));
    if (block.find_first_not_of('\0') == std::string::npos) {
      WEFT_CHECK(read_end());
      return std::optional<Entry>();
    }
    auto head = tar::read_head(block);
    if (!head.ok()) return broken(head.error().message);
    if (head->kind == tar::kExtended) {
      WEFT_TRY(told, extended(head->size));
      continue;
    }
    if (const Status known = tar::take_extended(told, *head); !known.ok()) return broken(known.error().message);
    told.clear();
    left_ = head->size;
    padding_ = tar::padding(head->size);
    if (head->kind == tar::kFile) return std::optional(Entry{std::move(head->name), head->size});
    if (head->kind != tar::kFolder) return broken("\"" + head->name + "\" is no file");
    WEFT_CHECK(pass_over());
  }
}

Status ArchiveReader::read(const std::function<Status(std::string_view bytes)>& take_bytes) {
  std::string part;
  while (left_ > 0) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kBuffer));
    WEFT_CHECK(take(part, some));
    left_ -= some;
    WEFT_CHECK(take_bytes(part));
  }
  return {};
}

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
