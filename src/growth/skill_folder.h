#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "ports/files/file_system.h"
#include "weft/result.h"
#include "weft/skills.h"

namespace weft {

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
