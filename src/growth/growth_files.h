#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "ports/files/file_system.h"
#include "weft/ids.h"

namespace weft {

/// The owner of what everybody of a workspace has. Any other owner of a rule, a skill or a report is the key of a
/// scope.
inline constexpr std::string_view kWorkspaceOwner = "workspace";

/// The scope of the documents of a workspace, of whatever owner. No user or group has this key.
inline const ScopeKey& workspace_scope() {
  static const ScopeKey scope{std::string(kWorkspaceOwner)};
  return scope;
}

/// Whether what an owner has is for a scope, too: what was learnt from one person is not told to another.
inline bool is_for(std::string_view owner, std::string_view scope) {
  return owner == kWorkspaceOwner || owner == scope;
}
inline bool is_for(std::string_view owner, const ScopeKey& scope) { return is_for(owner, scope.str()); }

/// Where what was learnt lies in a workspace. Files are for people, too: YAML where they may edit, JSON Lines where it
/// is a log in which each line is written once.
struct GrowthFiles {
  std::filesystem::path workspace;

  std::filesystem::path skills() const { return workspace / "skills" / "learned"; }
  std::filesystem::path mutated_skills() const { return workspace / "skills" / "mutations"; }
  std::filesystem::path deprecated_skills() const { return workspace / "skills" / "deprecated"; }
  /// Folders with SKILL.md that were imported, with their scripts and references.
  std::filesystem::path skill_folders() const { return workspace / "skills" / "folders"; }
  /// Where what skills say of themselves lies among the hidden states of a chat model: a cache.
  std::filesystem::path skill_states() const { return workspace / "skills" / "states.vectors"; }
  /// The log in which former versions counted uses of skills.
  std::filesystem::path skill_uses() const { return workspace / "skills" / "uses.jsonl"; }

  std::filesystem::path active_rules() const { return workspace / "evolution" / "rules" / "active_rules.yaml"; }
  /// Suggestions on their way to a rule, and rules that are no more.
  std::filesystem::path other_rules() const { return workspace / "evolution" / "rules" / "other_rules.yaml"; }
  std::filesystem::path strategy_log() const { return workspace / "evolution" / "strategy_log.jsonl"; }
  std::filesystem::path mutation_tests() const { return workspace / "evolution" / "mutation_tests.jsonl"; }
  std::filesystem::path contradictions() const { return workspace / "evolution" / "contradictions.jsonl"; }

  /// Of one scope, by its key.
  std::filesystem::path beliefs(const ScopeKey& scope) const;
};

/// Takes over a log of lines that a former version wrote: hands each whole line to `take`, calls `keep`, which writes
/// what they said to the store, and removes the log. Lines that `take` cannot read stay in a file beside it, of the
/// same name with ".unread". Killed before the end, it is done again with the next start: `keep` must not write twice
/// what is there. A log that is not there changes nothing.
Status take_former_log(FileSystem& files, const std::filesystem::path& path,
                       const std::function<bool(std::string_view line)>& take, const std::function<Status()>& keep);

}  // namespace weft
