#include "ports/files/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "ports/files/file_system.h"
#include "ports/files/private_folder.h"

namespace weft {

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = other.release();
  }
  return *this;
}

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int FileHandle::release() { return std::exchange(descriptor_, -1); }

Error file_error(std::string_view doing, const std::filesystem::path& path) {
  const int number = errno;
  std::string message = "cannot " + std::string(doing) + " " + path.string() + ": " + std::strerror(number);
  switch (number) {
    case ENOENT: return not_found(std::move(message));
    case EACCES:
    case EPERM:
    case EROFS: return permission(std::move(message), "make the folder writable or choose another with --workspace");
    case ENOSPC:
    case EDQUOT: return unavailable(std::move(message), "free some space; nothing that was acknowledged is lost");
    default: return unavailable(std::move(message));
  }
}

Result<std::string> read_file(const std::filesystem::path& path) {
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return file_error("open", path);
  std::string content;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", path);
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
  }
}

Status write_all(const FileHandle& file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return file_error("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Status write_file(const std::filesystem::path& path, std::string_view content, bool durable) {
  return write_file(disk(), path, content, durable);
}

Status make_folder(const std::filesystem::path& path) {
  std::error_code code;
  const auto parent = path.parent_path();
  if (path.empty() || std::filesystem::is_directory(path, code)) return {};
  if (!parent.empty() && parent != path) WEFT_CHECK(make_folder(parent));
  if (::mkdir(path.c_str(), mode_within(parent, S_IRWXU | S_IRWXG | S_IRWXO)) == 0) return {};
  // Somebody else may have been quicker; "a/" is made with "a".
  const int failed = errno;
  if (failed == EEXIST && std::filesystem::is_directory(path, code)) return {};
  errno = failed;
  return file_error("make the folder", path);
}

Status sync_folder(const std::filesystem::path& path) {
  // That of a bare file name is where we are.
  FileHandle folder(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.open()) return file_error("open the folder", path);
  if (::fsync(folder.get()) != 0) return file_error("flush the folder", path);
  return {};
}

std::string encode_file_name(std::string_view id) {
  constexpr std::size_t kLongest = 150;
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string name;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const char c = id[i];
    const bool letter = is_letter(c) || is_digit(c);
    if (letter || c == '-' || c == '_' || (c == '.' && i > 0)) {
      name += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      name += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  if (name.size() <= kLongest) return name;
  const auto hash = XXH3_64bits(id.data(), id.size());
  return name.substr(0, kLongest) + "~" + std::to_string(hash);
}

Result<WorkspaceLock> WorkspaceLock::take(const std::filesystem::path& workspace) {
  const auto path = workspace / "weft.lock";
  FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode_within(workspace, 0644)));
  if (!file.open()) return file_error("open", path);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    auto holder = read_file(path).value_or("");
    while (!holder.empty() && (holder.back() == '\n' || holder.back() == ' ')) holder.pop_back();
    return conflict("the workspace " + workspace.string() + " is in use by " +
                        (holder.empty() ? std::string("another process") : "process " + holder),
                    "one process holds a workspace: stop that one, use its HTTP interface, or choose another folder "
                    "with --workspace");
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file.get(), 0) != 0) return file_error("write", path);
  WEFT_CHECK(write_all(file, pid, path));
  return WorkspaceLock(std::move(file));
}

}  // namespace weft
