#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "model/erased_messages.h"
#include "ports/files/line_log.h"
#include "weft/agent.h"
#include "weft/skills.h"

namespace weft {

/// The log of uses: a line for each task that a skill stood in the prompts of, and another one when its outcome becomes
/// known. One thread at a time.
class SkillUses {
 public:
  /// `files` and `clock` must outlive it.
  SkillUses(FileSystem& files, std::filesystem::path path, const Clock& clock)
      : files_(files), path_(std::move(path)), clock_(clock) {}

  /// With which outcome a report was counted for a skill; none: it was not.
  Result<std::optional<Outcome>> counted(const std::string& report, const std::string& skill);
  /// Writes the line of a use.
  Status add(const TaskReport& report, const Skill& skill, bool followed, Outcome outcome);
  /// Takes out the lines of these skills, and of erased reports.
  Status erase(const std::set<std::string>& skills, const ErasedLessons& gone);

 private:
  Status open();

  FileSystem& files_;
  const std::filesystem::path path_;
  const Clock& clock_;
  std::unique_ptr<LineLog> log_;
  std::map<std::string, Outcome> counted_;  ///< by "REPORT\nSKILL"
};

}  // namespace weft
