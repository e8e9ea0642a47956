#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "flow/memory/likeness.h"
#include "growth/growth_files.h"
#include "growth/owners.h"
#include "growth/promotion_gate.h"
#include "growth/rule_file.h"
#include "model/erased_messages.h"
#include "ports/files/line_log.h"
#include "weft/config.h"
#include "weft/growth.h"

namespace weft {

/// What rules stand on. All must outlive the book.
struct RulePorts {
  FileSystem& files;
  GrowthFiles places;
  const Clock& clock;
  const Likeness& likeness;
  const EvolutionSettings& settings;
  GateKeeper gate = {};  ///< asked before a rule on probation becomes active
};

/// The strategy rules of a workspace: suggestions of reflections become candidates, candidates that independent
/// reflections repeat are tried, and what works stays. Each change is first a line of strategy_log.jsonl, with the rule
/// as it is then, and then in the two files of rules, which say up to which line they are: a crash between the two is
/// made good at the next opening. People may edit the files at any time; what they changed gets its line, too.
///
/// Safe from any thread. Changes wait for each other; readers do not wait for them.
class RuleBook {
 public:
  explicit RuleBook(RulePorts with);

  /// Takes what a reflection suggests. Of LOW confidence nothing is taken. A reflection that was taken already changes
  /// nothing. An error where the files cannot be read or written; then it can be given again.
  Status take(const Reflection& reflection);

  /// The rules that a task of this scope is told: the active ones in the order in which they became active, then those
  /// on probation that are related to the task. One call a task: what it gives is the task's snapshot.
  std::vector<Rule> rules_for(const ScopeKey& scope, std::string_view task);
  /// Only the active ones, in the same order: what stands in the fixed part of prompts.
  std::vector<Rule> active_rules(const ScopeKey& scope);
  /// Only those on probation that are related to the task, the nearest first.
  std::vector<Rule> trial_rules(const ScopeKey& scope, std::string_view task);

  /// Counts for each rule that stood in the task's prompts whether it was followed and how the task went, and ends
  /// probations. A report counts once, one of another agent's transcript not at all; an outcome that becomes known
  /// later is counted when it does.
  Status count(const TaskReport& report);

  /// Rules that have passed their trial and wait until they were tried on past tasks, of every owner.
  Result<std::vector<Rule>> waiting();
  /// What these say, or why it still waits: a rule that waits in this version becomes active with it, or is held back.
  Status settle(const std::string& id, const PromotionGate& gate);

  /// All rules that the scope may see, in every stage; live ones first, in order.
  Result<std::vector<Rule>> rules(const ScopeKey& scope);
  /// What a person does. kNotFound where the scope may not see such a rule.
  Result<Rule> change(const ScopeKey& scope, const std::string& id, const RuleChange& change);
  /// Two versions as YAML, compared. 0: the newest, and the one before.
  Result<std::string> diff(const ScopeKey& scope, const std::string& id, std::int64_t from, std::int64_t to);
  /// What is wrong in the files, with line and key.
  std::vector<std::string> problems();

  /// Takes out what was learnt from erased lessons, from the files and from the log, of which only the numbers of the
  /// lines stay: all rules of an owner, or those that stand on nothing else or repeat the words; others lose that part
  /// of what they stand on. Done again after a crash it goes on.
  Status erase(const ErasedLessons& gone);

 private:
  struct Change {
    std::string action, by, why, report = {};
    Rule rule;
    bool removed = false;
  };
  struct Known {
    Rule rule;
    std::uint64_t line = 0;
    bool removed = false;
  };
  struct Match {
    std::optional<std::size_t> like;  ///< place in the rules
    std::vector<std::size_t> contradicts;  ///< live ones
  };

  // Files and log; the mutex of changes is held.
  Status load();
  Status read_log();
  void take_line(std::string_view line, Status& trouble);
  void redo(const RuleFile& file, bool live, std::vector<Rule>& into) const;
  Status note_edits();
  Status append(const Change& change);
  Status commit(std::span<const Change> changes);
  Status write_files();
  Status erase_lines(const std::set<std::string>& rules, const ErasedLessons& gone);
  Status rewrite(const std::filesystem::path& path, const std::function<std::string(std::string_view line)>& line_of);
  std::vector<Rule> snapshot();

  // Taking suggestions.
  Status take_one(const Reflection& reflection, const Suggestion& suggestion);
  Rule draft_of(const Reflection& reflection, const Suggestion& suggestion) const;
  Match look_up(const Rule& draft, const std::vector<Rule>& rules) const;
  Status report_contradiction(const Reflection& reflection, const Rule& draft, const Rule& standing);
  Change added_to_candidate(Rule candidate, const Rule& draft, bool contradicted) const;
  std::optional<Change> merged(Rule standing, const Rule& draft, const std::string& by) const;
  std::string new_id() const;

  /// Whether a report was counted for a rule: not at all, as told, or with its outcome.
  enum class Counted { kNot, kAsTold, kWithOutcome };
  Counted counted_so_far(const std::string& report, const std::string& rule) const;
  void note_counted(const std::string& report, const std::string& rule, bool with_outcome);
  Change with_use(Rule rule, const TaskReport& report, bool followed) const;
  Change with_outcome(Change change, Outcome outcome) const;
  void end_trial(Change& change, bool good) const;
  Status apply(const RuleChange& change, Rule& rule) const;

  RulePorts with_;
  std::mutex changing_;  ///< held by who changes; files, log and `known_` belong to it
  RuleFile live_file_, other_file_;
  std::unique_ptr<LineLog> log_;
  bool log_read_ = false;
  std::atomic<bool> loaded_ = false;  ///< a reader has read the files: from then on none waits for who changes them
  std::uint64_t last_line_ = 0;
  std::map<std::string, Known> known_;  ///< as the log has them
  std::map<std::string, Counted> counted_;  ///< by "REPORT RULE"
  std::set<std::string> reported_;  ///< contradictions, "REFLECTION RULE"
  std::unique_ptr<LineLog> contradictions_;

  std::mutex mutex_;  ///< of what readers see
  std::vector<Rule> rules_;
  std::vector<std::string> problems_;
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

/// Whether this many of the reflections are independent: each of another task, session and day than the others.
bool independent(std::span<const RuleEvidence> evidence, std::size_t needed);

/// Active rules as they stand in a prompt: a line each, the newest last, so that a new one changes nothing before it.
/// Empty where there are none.
std::string rules_text(std::span<const Rule> rules);
/// Rules on probation, marked as such.
std::string trial_rules_text(std::span<const Rule> rules);

}  // namespace weft
