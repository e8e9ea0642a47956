#include "ports/files/file_system.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <utility>

#include "base/fault_point.h"
#include "base/strings.h"

namespace weft {
namespace {

class DiskFile final : public OpenFile {
 public:
  DiskFile(FileHandle file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}

  Status write_at(std::string_view bytes, std::uint64_t at) override {
    while (!bytes.empty()) {
      const ssize_t put = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return file_error("write", path_);
      bytes.remove_prefix(static_cast<std::size_t>(put));
      at += static_cast<std::uint64_t>(put);
    }
    return {};
  }

  Status sync() override {
    if (::fdatasync(file_.get()) != 0) return file_error("flush", path_);
    return {};
  }

 private:
  FileHandle file_;
  std::filesystem::path path_;
};

class Disk final : public FileSystem {
 public:
  Result<std::unique_ptr<OpenFile>> open(const std::filesystem::path& path) override {
    FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode_within(path.parent_path(), 0644)));
    if (!file.open()) return file_error("open", path);
    return std::unique_ptr<OpenFile>(new DiskFile(std::move(file), path));
  }

  Result<std::string> read(const std::filesystem::path& path) override { return read_file(path); }

  std::optional<FileRevision> revision(const std::filesystem::path& path) override {
    std::error_code failed;
    const auto size = std::filesystem::file_size(path, failed);
    if (failed) return std::nullopt;
    const auto changed = std::filesystem::last_write_time(path, failed);
    if (failed) return std::nullopt;
    return FileRevision{size, changed.time_since_epoch().count()};
  }

  Result<std::vector<std::filesystem::path>> list(const std::filesystem::path& folder) override {
    std::vector<std::filesystem::path> files;
    std::error_code code;
    for (auto at = std::filesystem::directory_iterator(folder, code);
         !code && at != std::filesystem::directory_iterator(); at.increment(code))
      files.push_back(at->path());
    if (!code) return files;
    errno = code.value();
    return file_error("read the folder", folder);
  }

  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return file_error("rename to", to);
    return {};
  }

  Status remove(const std::filesystem::path& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return file_error("remove", path);
    return {};
  }

  Status make_folder(const std::filesystem::path& path) override { return weft::make_folder(path); }
  Status sync_folder(const std::filesystem::path& path) override { return weft::sync_folder(path); }
};

Status write_new(FileSystem& files, const std::filesystem::path& path, std::string_view content, bool durable) {
  WEFT_TRY(const auto file, files.open(path));
  WEFT_CHECK(file->write_at(content, 0));
  return durable ? file->sync() : Status();
}

}  // namespace

FileSystem& disk() {
  static Disk disk;
  return disk;
}

Status write_file(FileSystem& files, const std::filesystem::path& path, std::string_view content, bool durable) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path temporary = path;
  temporary += ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(++counter);
  Status written = write_new(files, temporary, content, durable);
  if (written.ok()) written = fault_point(FaultPoint::kFileWritten);
  if (written.ok()) written = files.rename(temporary, path);
  if (!written.ok()) {
    (void)files.remove(temporary);
    return written;
  }
  WEFT_CHECK(fault_point(FaultPoint::kFileRenamed));
  return durable ? files.sync_folder(path.parent_path()) : Status();
}

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

Status make_private_folder(const std::filesystem::path& path) {
  const auto parent = std::filesystem::absolute(path / ".").lexically_normal().parent_path().parent_path();
  WEFT_CHECK(make_folder(parent));
  if (::mkdir(path.c_str(), S_IRWXU) == 0) return {};
  std::error_code code;
  return errno == EEXIST && std::filesystem::is_directory(path, code) ? Status()
                                                                      : Status(file_error("make the folder", path));
}

mode_t mode_within(const std::filesystem::path& folder, mode_t wanted) {
  struct stat about{};
  if (::stat(folder.empty() ? "." : folder.c_str(), &about) != 0) return wanted;
  // Whether it can be passed through decides, not whether it can be listed.
  const mode_t group = (about.st_mode & S_IXGRP) != 0 ? S_IRWXG : 0,
               others = (about.st_mode & S_IXOTH) != 0 ? S_IRWXO : 0;
  return wanted & (S_IRWXU | group | others);
}

std::filesystem::path scope_folder(const std::filesystem::path& workspace, std::string_view name,
                                   const ScopeKey& scope) {
  const std::filesystem::path folder = workspace / name;
  const std::string_view key = scope.str();
  if (key == "user:default") return folder;
  const auto colon = key.find(':');
  const bool group = key.substr(0, colon) == "group";
  return folder / (group ? "groups" : "users") / encode_file_name(key.substr(colon + 1));
}

Result<FileHandle> take_turn(const std::filesystem::path& folder) {
  WEFT_CHECK(make_folder(folder));
  const std::filesystem::path path = folder / ".lock";
  FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.open()) return file_error("open", path);
  int taken = 0;
  do {
    taken = ::flock(file.get(), LOCK_EX);
  } while (taken != 0 && errno == EINTR);
  if (taken != 0) return file_error("lock", path);
  return file;
}

LockState look_at_lock(const std::filesystem::path& workspace) {
  LockState state;
  const auto path = workspace / "weft.lock";
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return state;
  const std::string text = read_file(path).value_or("");
  std::from_chars(text.data(), text.data() + text.size(), state.process);
  // The holder's lock is for it alone, so that even a shared one cannot be had beside it. Ours goes with the handle.
  state.held = ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (state.process <= 0) return state;
  state.alive = ::kill(static_cast<pid_t>(state.process), 0) == 0 || errno == EPERM;
  state.program = read_file("/proc/" + std::to_string(state.process) + "/comm").value_or("");
  while (!state.program.empty() && state.program.back() == '\n') state.program.pop_back();
  return state;
}

struct Digest::State {
  XXH3_state_t* const hash = XXH3_createState();
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->hash); }
Digest::~Digest() { XXH3_freeState(state_->hash); }

void Digest::add(std::string_view bytes) { XXH3_128bits_update(state_->hash, bytes.data(), bytes.size()); }

std::string Digest::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<std::string> digest_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error("open", path);
  Digest digest;
  std::string part(std::size_t{1} << 20, '\0');
  while (file) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    digest.add(std::string_view(part).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  if (file.bad()) return file_error("read", path);
  return digest.text();
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTrialBytes = 64 * 1024;
constexpr std::size_t kMostEntries = 100'000;

// Files that only their owner may read: keys, who did what, fingerprints of what was erased, the command's door.
bool is_private(const fs::path& inside) {
  const std::string path = inside.string();
  return path == "keys.jsonl" || path == "audit.jsonl" || path == "weft.sock" || path.ends_with(".traces.json");
}

}  // namespace

Result<double> try_disk(const fs::path& folder) {
  // A name that backups leave out, should it stay behind.
  const fs::path path = folder / (".trial-" + std::to_string(::getpid()) + ".tmp");
  std::string text(kTrialBytes, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  const auto begun = std::chrono::steady_clock::now();
  Status done = write_file(path, text, true);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  if (done.ok()) {
    const auto again = read_file(path);
    if (!again.ok())
      done = again.error();
    else if (*again != text)
      done = corrupt(path.string() + " reads otherwise than it was written", "the disk is broken: replace it");
  }
  const Status removed = disk().remove(path);
  WEFT_CHECK(done);
  WEFT_CHECK(removed);
  return ms;
}

Result<DiskSpace> disk_space(const fs::path& folder) {
  struct statvfs state{};
  if (::statvfs(folder.c_str(), &state) != 0) return file_error("look at the disk of", folder);
  DiskSpace space;
  space.bytes = static_cast<std::uint64_t>(state.f_bavail) * state.f_frsize;
  space.files = state.f_favail;
  space.counts_files = state.f_files > 0;
  space.read_only = (state.f_flag & ST_RDONLY) != 0;
  return space;
}

std::vector<WrongRights> wrong_rights(const fs::path& workspace) {
  std::vector<WrongRights> found;
  struct stat top{};
  if (::stat(workspace.c_str(), &top) != 0) return found;
  if (::access(workspace.c_str(), R_OK | W_OK | X_OK) != 0) found.push_back({WrongRights::Kind::kClosed, workspace});
  std::error_code code;
  std::size_t seen = 0;
  auto at = fs::recursive_directory_iterator(workspace, fs::directory_options::skip_permission_denied, code);
  for (; !code && at != fs::recursive_directory_iterator() && seen < kMostEntries; at.increment(code), ++seen) {
    struct stat one{};
    if (::lstat(at->path().c_str(), &one) != 0 || S_ISLNK(one.st_mode)) continue;
    const int wanted = S_ISDIR(one.st_mode) ? R_OK | W_OK | X_OK : R_OK | W_OK;
    if (::access(at->path().c_str(), wanted) != 0)
      found.push_back({WrongRights::Kind::kClosed, at->path()});
    else if (one.st_uid != top.st_uid)
      found.push_back({WrongRights::Kind::kForeign, at->path()});
    else if ((one.st_mode & (S_IRWXG | S_IRWXO)) != 0 && is_private(at->path().lexically_relative(workspace)))
      found.push_back({WrongRights::Kind::kOpen, at->path()});
  }
  return found;
}

namespace fs = std::filesystem;

fs::path installed_share_of(const fs::path& binary) {
  std::error_code code;
  for (const char* prefix : {"..", "../.."}) {
    const fs::path share = (binary.parent_path() / prefix / "share" / "weft").lexically_normal();
    if (binary.is_absolute() && fs::is_directory(share, code)) return share;
  }
  return {};
}

fs::path installed_share() {
  // A library knows its own path; of a program only the system tells it.
  Dl_info about{};
  if (::dladdr(reinterpret_cast<const void*>(&installed_share_of), &about) != 0 && about.dli_fname != nullptr)
    if (fs::path share = installed_share_of(about.dli_fname); !share.empty()) return share;
  std::error_code code;
  return installed_share_of(fs::read_symlink("/proc/self/exe", code));
}

}  // namespace weft
