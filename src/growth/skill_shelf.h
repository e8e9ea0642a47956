#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "growth/growth_files.h"
#include "ports/files/file_system.h"
#include "weft/growth.h"
#include "weft/result.h"

namespace weft {

/// Where changes of skills find the skills, and put a changed one. Safe from any thread.
class SkillShelf {
 public:
  virtual ~SkillShelf() = default;
  /// All, of every owner.
  virtual Result<std::vector<Skill>> list() = 0;
  /// kNotFound where there is none.
  virtual Result<Skill> get(const std::string& id) = 0;
  /// Puts a skill in the place of the one with its id; the former stands in its history, with `note`.
  virtual Status put(const Skill& skill, const std::string& note) = 0;
};

/// The files of skills/learned, read each time. A file that cannot be read is told in the log and left alone.
class SkillFiles final : public SkillShelf {
 public:
  SkillFiles(FileSystem& files, GrowthFiles places, const Clock& clock)
      : files_(files), places_(std::move(places)), clock_(clock) {}
  Result<std::vector<Skill>> list() override;
  Result<Skill> get(const std::string& id) override;
  Status put(const Skill& skill, const std::string& note) override;

 private:
  FileSystem& files_;
  GrowthFiles places_;
  const Clock& clock_;
};

/// A name for a file of what has this id: letters, digits, '-' and '_' stay, what else stands in it becomes its bytes
/// in hexadecimal digits behind a '.'.
std::string file_name_of(const std::string& id);

}  // namespace weft
