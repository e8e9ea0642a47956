#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "ports/files/file_system.h"

namespace weft::test {

/// A disk in memory that keeps of what was not flushed only what chance leaves: of writes any part, of changes of names
/// in a folder the first few. It can also run full, and fail to flush as Linux does: what it dropped counts as flushed
/// from then on. Safe from many threads.
class PowerCutFiles final : public FileSystem {
 public:
  explicit PowerCutFiles(unsigned seed = 1) : random_(seed) {}

  /// The power goes after so many further operations; all that come later fail.
  void cut_after(std::size_t operations);
  bool off() const;
  /// Power again, with what is left.
  void restore();

  void fail_syncs(bool fail) { set(fail_syncs_, fail); }
  void run_full(bool full) { set(full_, full); }

  /// The content as programs see it; empty where there is no such file.
  std::string content(const std::filesystem::path& path);
  void put(const std::filesystem::path& path, std::string bytes);  ///< at once on disk
  bool holds(const std::string& text);  ///< in any file

  Result<std::unique_ptr<OpenFile>> open(const std::filesystem::path& path) override;
  Result<std::string> read(const std::filesystem::path& path) override;
  std::optional<FileRevision> revision(const std::filesystem::path& path) override;
  Result<std::vector<std::filesystem::path>> list(const std::filesystem::path& folder) override;
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Status remove(const std::filesystem::path& path) override;
  Status make_folder(const std::filesystem::path&) override { return {}; }
  Status sync_folder(const std::filesystem::path& path) override;

 private:
  struct Write {
    std::uint64_t at;
    std::string bytes;
  };
  struct Content {
    std::string kept, seen;
    std::vector<Write> unflushed;
  };
  using Names = std::map<std::string, std::shared_ptr<Content>>;
  struct Change {
    std::string name;
    std::shared_ptr<Content> content;  // null: gone
  };
  struct Folder {
    Names kept, seen;
    std::vector<std::vector<Change>> unflushed;
  };
  class File;

  void set(bool& what, bool to) {
    const std::lock_guard lock(mutex_);
    what = to;
  }
  Status step();
  Status write(Content& content, std::string_view bytes, std::uint64_t at);
  Status sync(Content& content);
  void change(const std::filesystem::path& folder, std::vector<Change> changes);
  void lose(Content& content);
  static void apply(std::string& bytes, const Write& write);
  static void apply(Names& names, const std::vector<Change>& changes);

  mutable std::mutex mutex_;
  std::mt19937 random_;
  std::map<std::string, Folder> folders_;
  std::size_t left_ = static_cast<std::size_t>(-1);
  bool off_ = false, fail_syncs_ = false, full_ = false;
};

}  // namespace weft::test
