#pragma once

#include <optional>
#include <string_view>

#include "weft/skills.h"

namespace weft {

/// A procedure that a person teaches in a talk: something says that it holds from then on ("from now on", "whenever",
/// 以后, 每次), there is an occasion, and two steps or more, as a list or in one sentence ("when you deploy: first run
/// the tests, then tag the commit", 以后发布要先跑测试，再打标签). Questions and what people say of their own habits
/// are none. The lesson is one that `skill_from_lesson` takes. Words stand in lexicon/*/procedures.txt.
std::optional<SkillLesson> taught_procedure(std::string_view text);

}  // namespace weft
