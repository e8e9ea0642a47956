#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/likeness.h"
#include "weft/config.h"
#include "weft/growth.h"
#include "weft/result.h"

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

/// A procedure that kept succeeding, as a skill on trial: the calls of `newest` that did not fail, where as many of its
/// owner's own tasks as make a rule (`reflections`) had the same calls in the same order. These tasks are on one matter
/// (`related`), other tasks in other sessions, told of no skill, and a verifier or the user says that they succeeded;
/// of all that went this way the share `trial_rate` did. The days are left out of account: other than an opinion of how
/// to work, each of these outcomes was seen. Steps hold tools and what was the same in all calls, and nothing of what
/// tools answered. None where there is no such procedure, it is a single call, or it would loosen safety. Its id is
/// left to who keeps it. Deterministic; no model is asked.
std::optional<Skill> crystallised(const TaskReport& newest, std::span<const TaskReport> all, const Likeness& likeness,
                                  const EvolutionSettings& settings);

/// The tools of a skill's steps in their order.
std::vector<std::string> tools_of(const Skill& skill);

/// Whether a condition of the skill, or what it is for, is on one matter with the task.
bool is_for(const Skill& skill, std::string_view task, const Likeness& likeness, double related);

}  // namespace weft
