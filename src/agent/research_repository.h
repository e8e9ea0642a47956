#pragma once

#include "agent/researcher.h"

namespace weft {

/// How a project is explored (002, 6.1): README, then its structure, then configuration, entry points and core, then
/// what others write of it. The core is what other files name most often.
Result<Findings> explore_repository(ResearchStream& stream, const std::string& question);

/// A file of a project's list.
struct ProjectFile {
  std::string path;
  std::int64_t bytes = 0;
};

/// Which files tell most of a project, by their names and places: README first, then configuration, then entry points;
/// and what is documented besides. In the order in which they are to be read.
std::vector<ProjectFile> files_to_read(const std::vector<ProjectFile>& all, std::size_t most);

}  // namespace weft
