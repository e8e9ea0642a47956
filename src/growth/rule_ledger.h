#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "growth/growth_files.h"
#include "growth/rule_file.h"
#include "model/erased_messages.h"
#include "ports/files/line_log.h"
#include "weft/growth.h"

namespace weft {

/// A change of a rule as a line of the log: what was done, by whom and why, and the rule as it is then.
struct RuleEntry {
  std::string action, by, why;
  std::string report = {};  ///< the task report that it counts
  Rule rule;
  bool removed = false;
};

/// Rules as they lie on disk: two files that people may edit, and the log of all changes, of which the files say up to
/// which line they are. One thread at a time; only `rules` and `problems` may be called beside others.
class RuleLedger {
 public:
  /// Whether a report was counted for a rule: not at all, as told, or with its outcome.
  enum class Counted { kNot, kAsTold, kWithOutcome };

  /// All must outlive the ledger.
  RuleLedger(FileSystem& files, const GrowthFiles& places, const Clock& clock);

  /// Reads what has changed on disk, makes good what a crash left between log and files, and writes a line for what a
  /// person edited. Before anything else is asked.
  Status load();
  /// Every rule in the order of the files, as of the last `load` or `commit`.
  std::vector<Rule> rules() const;
  /// What was wrong in the files, with line and key.
  std::vector<std::string> problems() const;
  /// Writes changes: first the log, then what readers see, then the files.
  Status commit(std::span<const RuleEntry> changes);
  Status commit(RuleEntry change) { return commit(std::span(&change, 1)); }
  /// An id that no rule has had.
  std::string new_id() const;
  Counted counted(const std::string& report, const std::string& rule) const;
  /// Takes out what was learnt from erased lessons; of lines of the log that told of it only the numbers stay.
  Status erase(const ErasedLessons& gone);

 private:
  struct Known {
    Rule rule;
    std::uint64_t line = 0;
    bool removed = false;
  };

  Status read_log();
  void take_line(std::string_view line, Status& trouble);
  void redo(const RuleFile& file, bool live, std::vector<Rule>& into) const;
  Status note_edits();
  Status append(const RuleEntry& change);
  Status write_files();
  void note_counted(const std::string& report, const std::string& rule, bool with_outcome);
  Status erase_lines(const std::set<std::string>& rules, const ErasedLessons& gone);

  FileSystem& files_;
  const GrowthFiles& places_;
  const Clock& clock_;
  RuleFile live_file_, other_file_;
  std::unique_ptr<LineLog> log_;
  bool log_read_ = false;
  std::uint64_t last_line_ = 0;
  std::map<std::string, Known> known_;  ///< as the log has them
  std::map<std::string, Counted> counted_;  ///< by "REPORT RULE"

  mutable std::mutex mutex_;  ///< of what readers see
  std::vector<Rule> rules_;
  std::vector<std::string> problems_;
};

}  // namespace weft
