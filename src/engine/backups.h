#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "text/record.h"
#include "weft/engine.h"

namespace weft {

inline constexpr int kBackupVersion = 1;  ///< of the form of the list

/// A file of a backup.
struct ListedFile {
  std::string path;  ///< inside the backup
  std::uint64_t bytes = 0;
  std::string digest;
};
WEFT_DESCRIBED(ListedFile);

/// What a backup consists of.
struct BackupList {
  int version = kBackupVersion;
  Time made_at;
  std::vector<ListedFile> files;
};
WEFT_DESCRIBED(BackupList);

/// Reads the list of what `what` names in errors. kCorrupt where it is broken or names what is outside, kConflict where
/// it is of a newer version.
Result<BackupList> parse_backup_list(std::string_view text, const std::string& what);

/// Every file below a folder, by its path inside, in order.
Result<std::vector<std::filesystem::path>> files_below(const std::filesystem::path& folder);

/// Flushes these files of a folder, and all folders that they stand in.
Status flush_all(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files);

/// The file of a backup that lists the others with their sizes and checksums. It is written last: without it a folder
/// is no backup.
inline constexpr const char* kBackupList = "backup.json";

/// The folders and archives that a workspace was written to and that are still there.
std::vector<std::filesystem::path> known_backups(const std::filesystem::path& workspace);

/// Remembers one.
Status note_backup(const std::filesystem::path& workspace, const std::filesystem::path& folder);

/// A folder for a new backup: made where it is not there; kConflict where something stands in it.
Status prepare_backup(const std::filesystem::path& folder);

/// Copies the files of a workspace but for its store, which is copied by itself, and for what only a running program
/// needs. Files that go while it copies are left out.
Status copy_files(const std::filesystem::path& workspace, const std::filesystem::path& folder);

/// Writes the list and flushes everything.
Result<BackupReport> finish_backup(const std::filesystem::path& folder, Time now);

// A whole workspace as one file, to take it to another machine: `.tar.gz` with a backup in it, its list first. What
// opens doors stays behind: the keys of the server, what is set as a key in weft.toml, and who did what.

/// Writes one, as the workspace is at one moment while others go on writing. While it is made a folder beside the file
/// holds as much as the workspace. The file is there whole or not at all.
Result<BackupReport> write_archive(Engine& engine, const std::string& file);

/// Puts one in the place of an empty workspace. All of it is read and compared with its list before anything is
/// written: kCorrupt, with the place, for one that is damaged; kConflict where the workspace holds something.
Result<BackupReport> read_archive(const std::string& file, const std::string& workspace);

}  // namespace weft
