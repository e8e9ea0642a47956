#pragma once

#include <string>

#include "weft/growth.h"
#include "weft/result.h"

namespace weft {

/// Where changes of skills find the skills, and put a changed one. Safe from any thread.
class SkillShelf {
 public:
  virtual ~SkillShelf() = default;
  /// Of any owner. kNotFound where there is none, or it does not serve any more.
  virtual Result<Skill> get(const std::string& id) = 0;
  /// Puts a skill in the place of the one with its id and owner, which stands whole in the history then, with `note`;
  /// or a new one. Gives it as it is kept. kConflict where the id is another owner's, or the file is one that cannot be
  /// read.
  virtual Result<Skill> put(Skill skill, const std::string& note) = 0;
};

}  // namespace weft
