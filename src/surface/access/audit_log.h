#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "text/record.h"
#include "weft/time.h"

namespace weft {

/// One administrative act, or one caller turned away.
struct AuditEntry {
  Time time;
  std::string who;      ///< the key's name; "command" for a command on this machine, "mcp" for
                        ///< a client of `weft mcp`; empty: nobody named themselves
  std::string from;     ///< the client's address; empty for a command
  std::string act;      ///< "erase", "weft key revoke", "refused"
  std::string whose;    ///< the scope, where there is one
  std::string outcome;  ///< "done", or the error's message
  std::vector<std::string> what = {};  ///< what was acted on, by ids: "key k3x9abcd", "rule r12", "version 3"
};
WEFT_DESCRIBED(AuditEntry);

/// What was done to a workspace by whom, in its file `audit.jsonl`, which its owner alone may read. Each line is
/// appended whole and is on disk when `note` returns; servers and commands may write at the same time. Holds no content
/// and no secret. Safe from many threads.
class AuditLog {
 public:
  explicit AuditLog(std::filesystem::path file) : file_(std::move(file)) {}
  /// The file of a workspace.
  static std::filesystem::path file_of(const std::filesystem::path& workspace) { return workspace / "audit.jsonl"; }

  /// Writes a line; where that fails the program's log says so, and the act stands.
  void note(const AuditEntry& entry) const;

 private:
  const std::filesystem::path file_;
};

}  // namespace weft
