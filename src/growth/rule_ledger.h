#pragma once

#include <cstdint>
#include <filesystem>
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
#include "model/erased_messages.h"
#include "ports/files/file_system.h"
#include "ports/files/line_log.h"
#include "weft/growth.h"

namespace weft {

/// A file of rules for programs and people: YAML, one entry a rule, and how many lines of the log are in it already.
/// Entries that cannot be read are reported and stay in the file as they stand; a file that is no YAML at all is never
/// written over. Not safe from many threads.
class RuleFile {
 public:
  /// `title`, a comment, stands at its head.
  RuleFile(FileSystem& files, std::filesystem::path path, std::string title)
      : files_(files), path_(std::move(path)), title_(std::move(title)) {}

  /// Reads the file if it is not as it was last read or written; gives whether it was not. An error where it cannot be
  /// read as a whole; what was known before stays.
  Result<bool> refresh();

  const std::vector<Rule>& rules() const { return rules_; }
  /// The number of the last line of the log that is in it.
  std::uint64_t through() const { return through_; }
  /// Of its last reading, each with line and key.
  const std::vector<std::string>& problems() const { return problems_; }
  bool has_bad_entries() const { return !bad_text_.empty(); }

  /// Puts these rules in the place of those that could be read. On disk when it returns.
  Status write(std::span<const Rule> rules, std::uint64_t through);

 private:
  Status parse(const std::string& text);

  FileSystem& files_;
  std::filesystem::path path_;
  std::string title_;
  std::string content_;  ///< as last read or written
  bool known_ = false, broken_ = false;
  std::vector<Rule> rules_;
  std::uint64_t through_ = 0;
  std::vector<std::string> problems_, bad_text_;
};

/// What a task is compared with: what the rule says, and the tasks that it was learnt from. A rule on how to use a tool
/// shares no word with what people ask for.
std::vector<std::string> matters_of(const Rule& rule);

/// Whether a rule in this stage is told at all.
bool is_live(LifeStage stage);

/// Whether this rule is told: a live one that nobody has switched off, and that past tasks do not hold back.
bool is_told(const Rule& rule);

/// "ID@VERSION", by which runs name what they were told.
std::string versioned_id(const Rule& rule);

/// Active rules as they stand in a prompt: a line each, the newest last, so that a new one changes nothing before it.
/// Empty where there are none.
std::string rules_text(std::span<const Rule> rules);
/// Rules on probation, marked as such.
std::string trial_rules_text(std::span<const Rule> rules);

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
