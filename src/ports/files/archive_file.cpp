#include "ports/files/archive_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "ports/files/archive_format.h"
#include "ports/files/file.h"

namespace weft {
namespace {

constexpr unsigned kBuffer = 256 * 1024;
constexpr std::uint64_t kLongestExtended = 64 * 1024;  // a path and a number

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

}  // namespace weft
