#include "ports/files/file_system.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "ports/files/file.h"
#include "ports/files/private_folder.h"

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
  if (written.ok()) written = files.rename(temporary, path);
  if (!written.ok()) {
    (void)files.remove(temporary);
    return written;
  }
  return durable ? files.sync_folder(path.parent_path()) : Status();
}

}  // namespace weft
