#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "ports/files/file_system.h"
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

/// What a folder may hold at most.
struct SkillFolderLimits {
  std::size_t files = 500;
  std::size_t bytes = 16 * 1024 * 1024;
};

/// Checks an Agent Skill against the rules of its format and makes a skill of it, without owner: SKILL.md with a front
/// matter whose name (lower-case letters, digits and hyphens, at most 64) is the folder's, a description of at most
/// 1024 characters, and a body. Files beside it are only looked at by path: none may leave the folder. Errors name file
/// and line.
Result<Skill> skill_from_folder(const SkillFolder& folder, const SkillFolderLimits& limits = {});

/// A valid Agent Skill that says the same: steps as a numbered list, conditions in the description. `beside` are
/// further files for it, such as those that were imported with it.
SkillFolder folder_from_skill(const Skill& skill, std::vector<SkillFile> beside);

/// Reads a folder from disk. Links are refused, since they may lead out of it.
Result<SkillFolder> read_skill_folder(FileSystem& files, const std::filesystem::path& folder,
                                      const SkillFolderLimits& limits = {});
/// Writes one below `into`. What stands there stays, unless a file has the same path. Nothing becomes executable.
Status write_skill_folder(FileSystem& files, const SkillFolder& folder, const std::filesystem::path& into);

/// Paths of files below a folder, sorted, without SKILL.md; empty where there is none.
std::vector<std::string> skill_resources(const std::filesystem::path& folder);

}  // namespace weft
