#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "growth/growth_files.h"
#include "ports/files/file_system.h"
#include "weft/skills.h"

namespace weft {

/// Whether a skill's file lies in skills/learned: it was neither refused, retired nor deprecated.
bool serves(const Skill& skill);

/// Skills as they lie on disk: a file each, in skills/learned those that serve, in skills/deprecated the others. A file
/// that cannot be read is reported and left alone. One thread at a time.
class StoredSkills {
 public:
  struct File {
    std::filesystem::path path;
    std::string content;
    std::optional<Skill> skill;  ///< none: it cannot be read
    std::string problem;
  };
  using Files = std::map<std::filesystem::path, File>;

  /// All must outlive it.
  StoredSkills(FileSystem& disk, const GrowthFiles& places, const Clock& clock)
      : disk_(disk), places_(places), clock_(clock) {}

  /// Reads anew what has changed on disk. Pointers to files are good until the next `refresh`, `write` or `put`.
  Status refresh();
  const Files& files() const { return files_; }
  /// Null where no file that can be read has this id.
  const File* find(std::string_view id) const;
  /// Where the skill's file is to lie. kConflict where one lies there that cannot be read.
  Result<std::filesystem::path> path_for(const Skill& skill) const;
  /// Writes a skill's file; one that `before` lies in keeps its name while it stays in its folder.
  Status write(const Skill& skill, const File* before);
  /// The same as a new version of what has its id, after a check that it can be read again. Gives it as it was written.
  /// kConflict where the id is another owner's.
  Result<Skill> put(Skill skill, const std::string& note);
  /// Removes a skill's file and the folder that came with it.
  Status remove(const File& file);
  /// An id that is free, or is one of this owner's own already.
  std::string free_id(const std::string& wanted, const std::string& owner) const;

 private:
  Status refresh_folder(const std::filesystem::path& folder, Files& into);

  FileSystem& disk_;
  const GrowthFiles& places_;
  const Clock& clock_;
  Files files_;
};

}  // namespace weft
