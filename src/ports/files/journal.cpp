#include "ports/files/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace weft {
namespace {

constexpr std::uint64_t kStep = 1 << 20;  // allocated ahead, bytes
constexpr std::size_t kHead = 8;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

std::uint32_t read_u32(const char* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The records of a log's bytes up to its end or the first broken one; gives where they stop.
std::uint64_t read_records(std::string_view log, const std::function<void(std::string_view)>& replay) {
  std::uint64_t at = 0;
  while (at + kHead <= log.size()) {
    const std::uint32_t size = read_u32(log.data() + at);
    if (size == 0 || at + kHead + size > log.size()) break;
    const std::string_view record = log.substr(at + kHead, size);
    if (checksum(record) != read_u32(log.data() + at + 4)) break;
    replay(record);
    at += kHead + size;
  }
  return at;
}

Status write_at(const FileHandle& file, std::string_view bytes, std::uint64_t at, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return file_error("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(put));
    at += static_cast<std::uint64_t>(put);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& path,
                                               const std::function<void(std::string_view)>& replay) {
  FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file.open()) return file_error("open", path);
  WEFT_TRY(const std::string log, read_file(path));
  std::unique_ptr<Journal> journal(new Journal(std::move(file), path));
  journal->end_ = journal->flushed_ = read_records(log, replay);
  journal->reserved_ = log.size();
  // What stands behind the last whole record is a torn write: zeroes, so that it can never be read as a record again.
  if (journal->end_ < log.size()) {
    WEFT_CHECK(write_at(journal->file_, std::string(log.size() - journal->end_, '\0'), journal->end_, path));
  }
  WEFT_CHECK(journal->reserve(0));
  WEFT_CHECK(sync_folder(path.parent_path()));
  return journal;
}

Status Journal::reserve(std::uint64_t size) {
  if (end_ + size + kHead <= reserved_) return {};
  // Real zeroes rather than a hole: a flush into a hole has to write the file's block map as well.
  const std::uint64_t target = (end_ + size + kHead + kStep) / kStep * kStep;
  WEFT_CHECK(write_at(file_, std::string(target - reserved_, '\0'), reserved_, path_));
  if (::fsync(file_.get()) != 0) return file_error("flush", path_);
  reserved_ = target;
  return {};
}

Status Journal::append(std::string_view record, bool durable) {
  std::uint64_t end = 0;
  {
    std::lock_guard lock(mutex_);
    WEFT_CHECK(reserve(record.size() + kHead));
    std::string bytes(kHead, '\0');
    const auto size = static_cast<std::uint32_t>(record.size());
    const std::uint32_t sum = checksum(record);
    std::memcpy(bytes.data(), &size, sizeof size);
    std::memcpy(bytes.data() + 4, &sum, sizeof sum);
    bytes += record;
    WEFT_CHECK(write_at(file_, bytes, end_, path_));
    end_ += bytes.size();
    end = end_;
  }
  return durable ? flush_up_to(end) : Status();
}

Status Journal::flush_up_to(std::uint64_t end) {
  std::lock_guard flushing(flush_mutex_);
  if (flushed_ >= end) return {};
  std::uint64_t written = 0;
  {
    std::lock_guard lock(mutex_);
    written = end_;
  }
  if (::fdatasync(file_.get()) != 0) return file_error("flush", path_);
  flushed_ = written;
  return {};
}

Status Journal::clear() {
  std::lock_guard flushing(flush_mutex_);
  std::lock_guard lock(mutex_);
  WEFT_CHECK(write_at(file_, std::string(std::min<std::uint64_t>(end_, reserved_), '\0'), 0, path_));
  if (::fdatasync(file_.get()) != 0) return file_error("flush", path_);
  end_ = flushed_ = 0;
  return {};
}

std::uint64_t Journal::bytes() const {
  std::lock_guard lock(mutex_);
  return end_;
}

}  // namespace weft
