#pragma once

#include "weft/result.h"
#include "weft/skills.h"

namespace weft {

/// A procedure in a person's own words as a skill, without id and owner. Lines that begin with a number ("1.", "2)",
/// "3、", "第四步", "Step 5:") or else with a bullet are steps; lines below a step that stand further in are its
/// details. What stands before them says what it is for, and when: sentences there that name an occasion become its
/// conditions. Names in `backticks` that are words of programs are a step's tools. kInvalidArgument where nothing is a
/// step.
Result<Skill> skill_from_lesson(const SkillLesson& lesson);

}  // namespace weft
