#include "ports/files/journal.h"

#include <xxhash.h>

#include <algorithm>
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

std::string encode(std::string_view record) {
  std::string bytes(kHead, '\0');
  const auto size = static_cast<std::uint32_t>(record.size());
  const std::uint32_t sum = checksum(record);
  std::memcpy(bytes.data(), &size, sizeof size);
  std::memcpy(bytes.data() + 4, &sum, sizeof sum);
  bytes += record;
  return bytes;
}

// The record that begins at this place; nothing where none does.
std::string_view record_at(std::string_view log, std::uint64_t at) {
  if (at + kHead > log.size()) return {};
  const std::uint32_t size = read_u32(log.data() + at);
  if (size == 0 || size > log.size() - at - kHead) return {};
  const std::string_view record = log.substr(at + kHead, size);
  return checksum(record) == read_u32(log.data() + at + 4) ? record : std::string_view();
}

// Where the next record behind `at` begins; npos where there is none. Texts cannot pass for a size, since four bytes of
// text are a number larger than any log, so few places cost more than a look.
std::uint64_t next_record(std::string_view log, std::uint64_t at) {
  while (at < log.size()) {
    const auto solid = log.find_first_not_of('\0', at);
    if (solid == std::string_view::npos) break;
    at = std::max<std::uint64_t>(at, solid >= 3 ? solid - 3 : 0);
    for (const std::uint64_t last = solid; at <= last; ++at)
      if (!record_at(log, at).empty()) return at;
  }
  return std::string_view::npos;
}

// Hands out the records; gives where the last one ends.
std::uint64_t read_records(std::string_view log, const std::function<void(std::string_view)>& replay,
                           std::vector<Journal::Damage>& damage) {
  std::uint64_t at = 0;
  for (;;) {
    if (const std::string_view record = record_at(log, at); !record.empty()) {
      replay(record);
      at += kHead + record.size();
      continue;
    }
    const std::uint64_t next = next_record(log, at + 1);
    if (next == std::string_view::npos) return at;
    damage.push_back({at, std::string(log.substr(at, next - at))});
    at = next;
  }
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(FileSystem& files, const std::filesystem::path& path,
                                               const std::function<void(std::string_view)>& replay,
                                               std::vector<Damage>& damage) {
  std::unique_ptr<Journal> journal(new Journal(files, path));
  WEFT_TRY(journal->file_, files.open(path));
  WEFT_TRY(const std::string log, files.read(path));
  journal->end_ = read_records(log, replay, damage);
  journal->reserved_ = log.size();
  // What stands behind the last whole record is a torn write: zeroes, so that it can never be read as a record again.
  if (journal->end_ < log.size())
    WEFT_CHECK(journal->file_->write_at(std::string(log.size() - journal->end_, '\0'), journal->end_));
  WEFT_CHECK(journal->reserve(0));
  WEFT_CHECK(files.sync_folder(path.parent_path()));
  return journal;
}

Status Journal::give_up(Status failed) {
  trouble_ = failed;
  return failed;
}

Status Journal::reserve(std::uint64_t size) {
  if (end_ + size + kHead <= reserved_) return {};
  // Real zeroes rather than a hole: a flush into a hole has to write the file's block map as well.
  const std::uint64_t target = (end_ + size + kHead + kStep) / kStep * kStep;
  WEFT_CHECK(file_->write_at(std::string(target - reserved_, '\0'), reserved_));
  if (Status flushed = file_->sync(); !flushed.ok()) return give_up(std::move(flushed));
  reserved_ = target;
  return {};
}

Status Journal::append(std::string_view record, bool durable) {
  std::uint64_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    WEFT_CHECK(trouble_);
    const std::string bytes = encode(record);
    WEFT_CHECK(reserve(bytes.size()));
    WEFT_CHECK(file_->write_at(bytes, end_));
    end_ += bytes.size();
    count = ++appended_;
  }
  return durable ? flush_up_to(count) : Status();
}

Status Journal::flush_up_to(std::uint64_t count) {
  const std::lock_guard flushing(flush_mutex_);
  std::uint64_t written = 0;
  OpenFile* file = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (flushed_ >= count) return {};
    WEFT_CHECK(trouble_);
    written = appended_;
    file = file_.get();
  }
  Status flushed = file->sync();
  const std::lock_guard lock(mutex_);
  if (!flushed.ok()) return give_up(std::move(flushed));
  flushed_ = written;
  return {};
}

Status Journal::rewrite(const std::vector<std::string>& records) {
  const std::lock_guard flushing(flush_mutex_);
  const std::lock_guard lock(mutex_);
  if (Status placed = put_in_place(records); !placed.ok()) return give_up(std::move(placed));
  trouble_ = {};
  flushed_ = appended_;
  return {};
}

Status Journal::put_in_place(const std::vector<std::string>& records) {
  std::string log;
  for (const std::string& record : records) log += encode(record);
  const std::uint64_t end = log.size();
  log.resize((end + kHead + kStep) / kStep * kStep, '\0');
  auto fresh = path_;
  fresh += ".new";
  WEFT_CHECK(files_.remove(fresh));
  WEFT_TRY(auto file, files_.open(fresh));
  WEFT_CHECK(file->write_at(log, 0));
  WEFT_CHECK(file->sync());
  WEFT_CHECK(files_.rename(fresh, path_));
  // From here on the new file has the name, whether or not the folder can be flushed.
  file_ = std::move(file);
  end_ = end;
  reserved_ = log.size();
  return files_.sync_folder(path_.parent_path());
}

Status Journal::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::uint64_t Journal::bytes() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

}  // namespace weft
