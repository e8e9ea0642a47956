#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ports/files/line_log.h"
#include "weft/growth.h"
#include "weft/result.h"

namespace weft {

/// The section of learnt rules in a file that other agents read (AGENTS.md, CLAUDE.md). It stands between two lines of
/// its own; what is outside of them is never touched.
inline constexpr std::string_view kSectionBegin = "<!-- weft:begin: `weft agent export` writes between these lines -->";
inline constexpr std::string_view kSectionEnd = "<!-- weft:end -->";

/// What stands between the two lines: active rules, then those on trial, marked as such, each on a line. In the
/// language of the rules. Empty where there are none.
std::string section_of(std::span<const Rule> rules);

/// Where a section stands in a text.
struct SectionPlace {
  std::size_t begin = 0, end = 0;                ///< with the two lines
  std::size_t inner_begin = 0, inner_end = 0;  ///< between them
};

/// None where there is no section. kConflict, with the line, where one of the two lines is missing or there twice:
/// nobody knows then what is whose. `file` names the text in errors.
Result<std::optional<SectionPlace>> find_section(std::string_view text, std::string_view file);

/// The text with this in its section; at the end where there was none. Without content an existing section goes, with
/// its two lines. Line ends are those of the text.
Result<std::string> with_section(std::string_view text, std::string_view content, std::string_view file);

/// What stands in the section now, with line feeds alone; none without one.
Result<std::optional<std::string>> section_in(std::string_view text, std::string_view file);

/// What an export does to one file.
struct FileChange {
  std::string path;  ///< the file itself, where a link leads to it
  bool was = false, is = true;  ///< whether it is there before and after
  std::string before, after;    ///< the whole content
  std::string made;  ///< what was made for it, without what a person did to it: what later changes are measured by
};

/// The log of what was written for other agents to read on behalf of a scope, by its key.
std::filesystem::path agent_files_log(const std::filesystem::path& workspace, const ScopeKey& scope);

/// Changes that belong together.
struct AgentFileChanges {
  std::int64_t number = 0;  ///< of the log; 0: not written yet
  std::int64_t undoes = 0;  ///< number of the changes that these take back; 0: none
  std::string time, folder;
  std::vector<FileChange> files;
  std::vector<std::string> notes;  ///< what was left alone, and why; not kept
};

/// Where what was learnt goes to.
struct AgentFilePlaces {
  std::filesystem::path folder;  ///< of the project: undoing goes by it
  std::vector<std::filesystem::path> rule_files;     ///< that get a section
  std::vector<std::filesystem::path> skill_folders;  ///< below which each skill has its folder
};

/// Writes rules and skills into files that other agents read, so that what a person does to these files is never lost:
/// a section between two lines of a file like AGENTS.md, and whole files SKILL.md. Planning writes nothing. Each
/// writing is first a line of a log with the files before and after, so that it can be undone, also after a crash in
/// its middle, and so that edits of people are known from what was written. For one thread.
class AgentFiles {
 public:
  static Result<AgentFiles> open(FileSystem& files, const std::filesystem::path& log, const Clock& clock);

  /// What has to change so that the files say this. Rules and skills of people who are not to be told are for the
  /// caller to leave out; candidates and what is disabled are left out here. A skill of which a person changed the text
  /// keeps the change; a file of the same name that was not written here stays as it is. kConflict where the section of
  /// a file is broken, or was written from another workspace.
  Result<AgentFileChanges> plan(const AgentFilePlaces& places, std::span<const Rule> rules,
                                std::span<const Skill> skills) const;
  /// What takes the newest changes of the folder back that were not taken back yet. What people did to the files since
  /// then stays. kNotFound where there are none.
  Result<AgentFileChanges> plan_undo(const std::filesystem::path& folder) const;

  /// Does what was planned. kConflict, before anything is written, where a file is not as it was when it was planned.
  Status write(AgentFileChanges changes);

 private:
  AgentFiles(FileSystem& files, const Clock& clock) : files_(files), clock_(clock) {}
  const FileChange* known(const std::string& path, const std::optional<std::string>& now) const;
  Result<FileChange> section_change(const std::filesystem::path& file, std::span<const Rule> rules) const;
  Status plan_skills(const std::filesystem::path& folder, std::span<const Skill> skills, AgentFileChanges& into) const;
  Result<FileChange> undo_of(const FileChange& done, std::vector<std::string>& notes) const;
  Status check(const AgentFileChanges& changes) const;
  Status put(const FileChange& change);

  FileSystem& files_;
  const Clock& clock_;
  std::unique_ptr<LineLog> log_;
  std::vector<AgentFileChanges> done_;  ///< in order, without those that were taken back
  std::int64_t last_ = 0;
};

/// A comparison of all the files, for people; empty where nothing changes.
std::string show_changes(const AgentFileChanges& changes);

}  // namespace weft
