#pragma once

#include <string>

#include "weft/engine.h"

/// A whole workspace as one file, to take it to another machine: `.tar.gz` with a backup in it, its list first. What
/// opens doors stays behind: the keys of the server, what is set as a key in weft.toml, and who did what.
namespace weft {

/// Writes one, as the workspace is at one moment while others go on writing. While it is made a folder beside the file
/// holds as much as the workspace. The file is there whole or not at all.
Result<BackupReport> write_archive(Engine& engine, const std::string& file);

/// Puts one in the place of an empty workspace. All of it is read and compared with its list before anything is
/// written: kCorrupt, with the place, for one that is damaged; kConflict where the workspace holds something.
Result<BackupReport> read_archive(const std::string& file, const std::string& workspace);

}  // namespace weft
