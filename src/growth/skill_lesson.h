#pragma once

#include <optional>
#include <string_view>

#include "weft/result.h"
#include "weft/skills.h"

namespace weft {

/// A procedure in a person's own words as a skill, without id and owner. Lines that begin with a number ("1.", "2)",
/// "3、", "第四步", "Step 5:") or else with a bullet are steps; lines below a step that stand further in are its
/// details. What stands before them says what it is for, and when: sentences there that name an occasion become its
/// conditions. Names in `backticks` that are words of programs are a step's tools. kInvalidArgument where nothing is a
/// step.
Result<Skill> skill_from_lesson(const SkillLesson& lesson);

/// A procedure that a person teaches in a talk: something says that it holds from then on ("from now on", "whenever",
/// 以后, 每次), there is an occasion, and two steps or more, as a list or in one sentence ("when you deploy: first run
/// the tests, then tag the commit", 以后发布要先跑测试，再打标签). Questions and what people say of their own habits
/// are none. The lesson is one that `skill_from_lesson` takes. Words stand in lexicon/*/procedures.txt.
std::optional<SkillLesson> taught_procedure(std::string_view text);

}  // namespace weft
