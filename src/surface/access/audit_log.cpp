#include "surface/access/audit_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "ports/files/file_system.h"

namespace weft {

template <>
const Record<AuditEntry>& record<AuditEntry>() {
  static const auto made =
      Record<AuditEntry>("AuditEntry", "What was done to a workspace, and by whom.", RecordUse::kBoth)
          .field("time", &AuditEntry::time, "when")
          .field("who", &AuditEntry::who, "the key's name, or command", {.sparse = true})
          .field("from", &AuditEntry::from, "the client's address", {.sparse = true})
          .field("act", &AuditEntry::act, "what was asked")
          .field("what", &AuditEntry::what, "what was acted on, by ids", {.sparse = true})
          .field("whose", &AuditEntry::whose, "in which scope", {.sparse = true})
          .field("outcome", &AuditEntry::outcome, "done, or what was wrong");
  return made;
}

namespace {

// What a crash cut off must not run into the line that follows it.
bool ends_in_a_line(int file) {
  struct stat about{};
  if (::fstat(file, &about) != 0 || about.st_size == 0) return true;
  char last = 0;
  return ::pread(file, &last, 1, about.st_size - 1) == 1 && last == '\n';
}

Status append(const std::filesystem::path& path, std::string line) {
  const FileHandle file(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.open()) return file_error("opening", path);
  // Goes with the file: who looks for the end of the last line must not see half of another's.
  if (::flock(file.get(), LOCK_EX) != 0) return file_error("locking", path);
  if (!ends_in_a_line(file.get())) line.insert(line.begin(), '\n');
  line += '\n';
  if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) || ::fsync(file.get()) != 0)
    return file_error("writing", path);
  return {};
}

}  // namespace

void AuditLog::note(const AuditEntry& entry) const {
  const Status written = append(file_, to_json(entry));
  if (!written.ok()) log_error("audit", written.error().message);
}

}  // namespace weft
