#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/growth.h"
#include "weft/result.h"

namespace weft {

/// Reads a file of skills/learned. `version_history` may stand in its short form, too: `- v1: "what it brought"`.
/// kInvalidArgument for what is no YAML, has anchors, or fields that are none or not as they must be; errors name
/// `file`, line and key.
Result<Skill> read_skill(std::string_view yaml, std::string_view file);

/// The skill as its file. Reading it gives the same skill.
std::string write_skill(const Skill& skill);

/// The number of the version that a skill is now. Where the last entry of its history has no content, that entry is
/// about this version, since the short form lists the newest as well.
std::int64_t version_of(const Skill& skill);

/// "ID@VERSION", by which runs name what they were told.
std::string versioned_id(const Skill& skill);

/// Puts a version as it was in the history of the one that follows it.
void keep_version(const Skill& before, Time now, const std::string& note, Skill& after);

/// The whole of a version. kNotFound where there is none, or only a note of it.
Result<Skill> skill_version(const Skill& skill, std::int64_t version);

/// A file name for any id: letters, digits, '-' and '_' stay, other bytes become ".xx" in hexadecimal digits.
std::string skill_file_name(std::string_view id);

/// An id for a name: its ASCII letters and digits in lower case, joined by `joint`; for a name without any, one from
/// its digest.
std::string skill_id_for(std::string_view name, char joint = '_');

}  // namespace weft
