#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/ids.h"
#include "weft/result.h"

namespace weft {

/// A file that is open for reading and writing. What is written is on disk when `sync` has returned success, not
/// before.
class OpenFile {
 public:
  virtual ~OpenFile() = default;
  virtual Status write_at(std::string_view bytes, std::uint64_t at) = 0;
  virtual Status sync() = 0;
};

/// How a file stands: another one after every edit that a person can make between two looks.
struct FileRevision {
  std::uint64_t size = 0;
  std::int64_t changed = 0;  ///< when, in a unit of the file system's own

  friend bool operator==(const FileRevision&, const FileRevision&) = default;
};

/// The operations on files that durable data depends on, so that a test can be a disk which loses what was not flushed.
/// Changes of names (a new file, a rename, a removal) are on disk when their folder was flushed. Safe from many
/// threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Opens a file, empty where it was not there.
  virtual Result<std::unique_ptr<OpenFile>> open(const std::filesystem::path& path) = 0;
  /// The whole content. kNotFound if there is no such file.
  virtual Result<std::string> read(const std::filesystem::path& path) = 0;
  /// Nothing where there is no such file, or it cannot be looked at.
  virtual std::optional<FileRevision> revision(const std::filesystem::path& path) = 0;
  /// The files of a folder, in no order.
  virtual Result<std::vector<std::filesystem::path>> list(const std::filesystem::path& folder) = 0;
  virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  /// Success also where there is none.
  virtual Status remove(const std::filesystem::path& path) = 0;
  virtual Status make_folder(const std::filesystem::path& path) = 0;
  virtual Status sync_folder(const std::filesystem::path& path) = 0;
};

/// The machine's own files. Has no state.
FileSystem& disk();

/// Puts the content in place of whatever was there: readers see the old or the new file, never a part. With `durable`
/// the file and its folder are flushed before it returns.
Status write_file(FileSystem& files, const std::filesystem::path& path, std::string_view content, bool durable);

/// A file descriptor that closes itself.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();
  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }
  int release();

 private:
  int descriptor_ = -1;
};

/// The Error for the current errno, saying what was being done to which path.
Error file_error(std::string_view doing, const std::filesystem::path& path);

/// Writes all of the bytes where the file stands. `path` is for the error.
Status write_all(const FileHandle& file, std::string_view bytes, const std::filesystem::path& path);

/// The whole content. kNotFound if there is no such file.
Result<std::string> read_file(const std::filesystem::path& path);

/// Puts the content in place of whatever was there: readers see the old or the new file, never a part. With `durable`
/// the file and its folder are flushed to disk before it returns.
Status write_file(const std::filesystem::path& path, std::string_view content, bool durable);

/// Makes the folder and its parents.
Status make_folder(const std::filesystem::path& path);

/// Flushes a folder's list of names to disk, without which a new or renamed file may be gone after a power cut.
Status sync_folder(const std::filesystem::path& path);

/// An id as a file name that every file system takes and that leaves no folder: letters, digits, "-", "_" and inner
/// dots stay, everything else becomes %XX; what is longer than 150 bytes ends in a hash.
std::string encode_file_name(std::string_view id);

/// Keeps other processes out of a workspace for as long as it lives.
class WorkspaceLock {
 public:
  /// kConflict, naming the process, when another one holds the workspace.
  static Result<WorkspaceLock> take(const std::filesystem::path& workspace);

 private:
  explicit WorkspaceLock(FileHandle file) : file_(std::move(file)) {}
  FileHandle file_;
};

/// Makes a folder that its owner alone may look into, and its parents as `make_folder` does. A folder that is there
/// keeps the rights that it has.
Status make_private_folder(const std::filesystem::path& path);

/// The rights of something new in a folder: `wanted`, but no wider for the group and for others than the folder's own.
/// So what stands in a private workspace stays private where it is copied or moved to.
mode_t mode_within(const std::filesystem::path& folder, mode_t wanted);

/// The folder below `workspace` where files of one scope lie for people to read: NAME for the scope of the command's
/// own user ("user:default"), NAME/users/ID or NAME/groups/ID for others, ids encoded so that none leaves its folder.
std::filesystem::path scope_folder(const std::filesystem::path& workspace, std::string_view name,
                                   const ScopeKey& scope);

/// Takes turns over a folder with all who do so, of this process and of others: the turn lasts as long as the handle
/// lives. Makes the folder; waits.
Result<FileHandle> take_turn(const std::filesystem::path& folder);

/// Who holds a workspace, seen from outside.
struct LockState {
  bool held = false;  ///< by a process, now
  long process = 0;  ///< that the lock names: the holder, or the last one; 0: nobody yet
  bool alive = false;  ///< that process runs
  std::string program;  ///< its name; empty: not known
};

/// Looks at the lock of a workspace without taking it. A workspace that is not there is held by nobody.
LockState look_at_lock(const std::filesystem::path& workspace);

/// The XXH3 checksum of bytes that come in pieces, as 32 hexadecimal digits. One thread uses it.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&&) = delete;
  Digest& operator=(Digest&&) = delete;

  void add(std::string_view bytes);
  std::string text() const;  ///< of all that was added

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// That of a whole file.
Result<std::string> digest_of_file(const std::filesystem::path& path);

/// Writes a small file in the folder, flushes it and the folder, reads it back and removes it. Gives the milliseconds
/// that the flush took; the error says which of these steps failed.
Result<double> try_disk(const std::filesystem::path& folder);

/// What is left on the disk of a folder.
struct DiskSpace {
  std::uint64_t bytes = 0;  ///< for this user
  std::uint64_t files = 0;  ///< how many more there can be; 0 with `counts_files` false: the file system has no limit
  bool counts_files = false;
  bool read_only = false;
};
Result<DiskSpace> disk_space(const std::filesystem::path& folder);

/// A file or folder with rights that it should not have, or lacks.
struct WrongRights {
  enum class Kind { kClosed, kForeign, kOpen };
  Kind kind = Kind::kClosed;  ///< this user may not read and write it; it is another user's; others may read it
  std::filesystem::path path;
};

/// Looks through a workspace, the first hundred thousand entries of it; nothing is opened.
std::vector<WrongRights> wrong_rights(const std::filesystem::path& workspace);

/// The folder of what was installed with the program or the library that this code stands in, PREFIX/share/weft: found
/// from where that stands now, so that an installation may be moved. Empty: it was not installed, as in a build tree.
std::filesystem::path installed_share();

/// Likewise for a program in bin/ or a library in lib/ or lib/ARCHITECTURE/, by its absolute path.
std::filesystem::path installed_share_of(const std::filesystem::path& binary);

}  // namespace weft
