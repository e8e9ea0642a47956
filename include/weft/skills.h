#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/growth.h"

namespace weft {

/// How a skill that fits a task stands in its prompt.
enum class SkillUse { kFollow, kReference };
std::string_view to_string(SkillUse use);

/// A skill that fits a task.
struct SkillMatch {
  Skill skill;
  double likeness = 0;  ///< 0.6 and more: a reference; 0.8 and more: to be followed
  SkillUse use = SkillUse::kReference;
};

/// What a person does to a skill. Approving makes it active, whatever its trial and past tasks say; enabling brings
/// back what was retired or deprecated, too.
enum class SkillAction { kApprove, kRetire, kPin, kUnpin, kDisable, kEnable, kRollBack, kRemove };
std::string_view to_string(SkillAction action);

struct SkillChange {
  SkillAction action = SkillAction::kRetire;
  std::string by = "user";  ///< who
  std::string why;
  std::int64_t version = 0;  ///< for kRollBack: which is put back; 0: the last before this
};

/// A procedure in a person's own words: a numbered or bulleted list, with what stands before it.
struct SkillLesson {
  std::string text;   ///< Markdown or plain text
  std::string name;   ///< empty: the heading, or the first line
  std::string owner;  ///< empty: who teaches; "workspace": everybody
};

struct SkillFile {
  std::string path;  ///< in the folder: "scripts/run.sh"
  std::string content;
};

/// An Agent Skill: a folder with SKILL.md.
struct SkillFolder {
  std::string name;
  std::string owner;  ///< on import, as in `SkillLesson`
  std::vector<SkillFile> files;
  std::vector<std::string> left_out;  ///< paths of files that are no text, where only text can be given
};

}  // namespace weft
