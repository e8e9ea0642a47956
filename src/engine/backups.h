#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "weft/engine.h"

namespace weft {

/// The file of a backup that lists the others with their sizes and checksums. It is written last: without it a folder
/// is no backup.
inline constexpr const char* kBackupList = "backup.json";

/// The folders that backups of a workspace were written to and that are still there.
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

}  // namespace weft
