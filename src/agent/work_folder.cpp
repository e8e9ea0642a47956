#include "agent/work_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace weft {
namespace {

namespace fs = std::filesystem;

Error file_trouble(const std::string& doing, const std::string& path) {
  const std::string text = doing + " " + path + ": " + std::strerror(errno);
  return errno == ENOENT ? not_found(text, "file_list shows what there is") : permission(text);
}

Error leads_out(const std::string& path) {
  return permission("\"" + path + "\" leads out of the work folder", "paths are below it, such as notes/plan.md");
}

/// A descriptor that closes itself.
struct Descriptor {
  int id = -1;
  explicit Descriptor(int descriptor) : id(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : id(std::exchange(other.id, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(id, other.id);
    return *this;
  }
  ~Descriptor() {
    if (id >= 0) ::close(id);
  }
};

// Opens the folder in which a path ends, step by step and never through a link, so that nothing which is changed
// meanwhile leads out.
Result<Descriptor> open_parent(const fs::path& root, const fs::path& relative, bool make) {
  Descriptor at(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.id < 0) return file_trouble("opening", root.string());
  for (const fs::path& part : relative.parent_path()) {
    if (make && ::mkdirat(at.id, part.c_str(), 0777) != 0 && errno != EEXIST)
      return file_trouble("making", relative.string());
    Descriptor next(::openat(at.id, part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next.id < 0 && (errno == ELOOP || errno == ENOTDIR)) return leads_out(relative.string());
    if (next.id < 0) return file_trouble("opening", relative.string());
    at = std::move(next);
  }
  return at;
}

Status write_all(int to, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t sent = ::write(to, content.data(), content.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return file_trouble("writing", path);
    content.remove_prefix(static_cast<std::size_t>(sent));
  }
  return ::fsync(to) == 0 ? Status() : file_trouble("flushing", path);
}

}  // namespace

Result<WorkFolder> WorkFolder::open(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path root = fs::canonical(folder, error);
  if (error) return permission("the work folder " + folder.string() + " cannot be used: " + error.message());
  return WorkFolder(root);
}

Result<fs::path> WorkFolder::inside(const std::string& path) const {
  if (path.find('\0') != std::string::npos) return leads_out(path);
  const fs::path given(path);
  if (given.is_absolute()) return leads_out(path);
  fs::path clean;
  for (const fs::path& part : given) {
    if (part == "." || part.empty()) continue;
    if (part == "..") return leads_out(path);
    clean /= part;
  }
  return clean;
}

Result<std::string> WorkFolder::read(const std::string& path, std::size_t most_bytes) const {
  WEFT_TRY(const fs::path relative, inside(path));
  if (relative.empty()) return invalid_argument("\"path\" names no file");
  WEFT_TRY(const Descriptor parent, open_parent(root_, relative, false));
  // Without waiting: a pipe that lies there is no file.
  const Descriptor file(
      ::openat(parent.id, relative.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file.id < 0 && errno == ELOOP) return leads_out(path);
  if (file.id < 0) return file_trouble("opening", path);
  struct stat about{};
  if (::fstat(file.id, &about) != 0 || !S_ISREG(about.st_mode)) return invalid_argument(path + " is no file");
  if (static_cast<std::uint64_t>(about.st_size) > most_bytes)
    return too_large(path + " has " + std::to_string(about.st_size) + " bytes, more than " +
                     std::to_string(most_bytes));
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const ssize_t some = ::read(file.id, content.data() + got, content.size() - got);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return file_trouble("reading", path);
    if (some == 0) break;
    got += static_cast<std::size_t>(some);
  }
  content.resize(got);
  return content;
}

Status WorkFolder::write(const std::string& path, std::string_view content) const {
  WEFT_TRY(const fs::path relative, inside(path));
  if (relative.empty()) return invalid_argument("\"path\" names no file");
  WEFT_TRY(const Descriptor parent, open_parent(root_, relative, true));
  const std::string name = relative.filename().string();
  struct stat about{};
  if (::fstatat(parent.id, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(about.st_mode))
    return S_ISLNK(about.st_mode) ? leads_out(path) : invalid_argument(path + " is no file");
  static std::atomic<unsigned> count = 0;
  const std::string beside = ".weft-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ".tmp";
  const Descriptor file(
      ::openat(parent.id, beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file.id < 0) return file_trouble("writing", path);
  Status written = write_all(file.id, content, path);
  if (written.ok() && ::renameat(parent.id, beside.c_str(), parent.id, name.c_str()) != 0)
    written = file_trouble("writing", path);
  if (!written.ok()) ::unlinkat(parent.id, beside.c_str(), 0);
  return written;
}

Status WorkFolder::remove(const std::string& path) const {
  WEFT_TRY(const fs::path relative, inside(path));
  if (relative.empty()) return invalid_argument("\"path\" names no file");
  WEFT_TRY(const Descriptor parent, open_parent(root_, relative, false));
  if (::unlinkat(parent.id, relative.filename().c_str(), 0) != 0 && errno != ENOENT)
    return file_trouble("removing", path);
  return {};
}

Result<std::vector<WorkFolder::Entry>> WorkFolder::list(const std::string& path, bool deep, std::size_t most) const {
  WEFT_TRY(const fs::path relative, inside(path));
  WEFT_TRY(const Descriptor parent, open_parent(root_, relative / "x", false));
  std::vector<Entry> entries;
  std::error_code error;
  // Iterators of the standard library do not step into linked folders.
  fs::recursive_directory_iterator at(root_ / relative, fs::directory_options::skip_permission_denied, error);
  if (error) return not_found("there is no folder " + path);
  for (; !error && at != fs::recursive_directory_iterator() && entries.size() < most; at.increment(error)) {
    std::error_code ignored;
    const bool folder = !at->is_symlink(ignored) && at->is_directory(ignored);
    if (folder && !deep) at.disable_recursion_pending();
    const std::uintmax_t bytes = at->is_regular_file(ignored) ? at->file_size(ignored) : 0;
    entries.push_back({at->path().lexically_relative(root_).string(), folder, ignored ? 0 : bytes});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return entries;
}

}  // namespace weft
