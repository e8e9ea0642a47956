#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "flow/memory/likeness.h"
#include "growth/growth_files.h"
#include "growth/promotion_gate.h"
#include "growth/rule_ledger.h"
#include "model/rows.h"
#include "weft/config.h"
#include "weft/growth.h"

namespace weft {

/// What rules stand on. All must outlive the book.
struct RulePorts {
  Store& store;
  DocumentFiles& documents;
  GrowthFiles places;
  const Clock& clock;
  const Likeness& likeness;
  const EvolutionSettings& settings;
  GateKeeper gate = {};  ///< asked before a rule on probation becomes active
};

/// The strategy rules of a workspace: suggestions of reflections become candidates, candidates that independent
/// reflections repeat are tried, and what works stays. The store keeps them, see `RuleLedger`: servers that share it
/// have the same rules. People may edit the files that show them at any time.
///
/// Safe from any thread. Changes wait for each other; readers do not wait for them.
class RuleBook {
 public:
  explicit RuleBook(RulePorts with);

  /// Takes what a reflection suggests. Of LOW confidence nothing is taken. A reflection that was taken already changes
  /// nothing. An error where the rules cannot be read or written; then it can be given again.
  Status take(const Reflection& reflection);

  /// The rules that a task of this scope is told: the active ones in the order in which they became active, then those
  /// on probation that are related to the task. One call a task: what it gives is the task's snapshot.
  std::vector<Rule> rules_for(const ScopeKey& scope, std::string_view task);
  /// Only the active ones, in the same order: what stands in the fixed part of prompts.
  std::vector<Rule> active_rules(const ScopeKey& scope);
  /// Only those on probation that are related to the task, the nearest first; of the rules that `active_rules` read.
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

  /// Takes out what was learnt from erased lessons, from the rules and from the log, of which only the numbers of the
  /// lines stay: all rules of an owner, or those that stand on nothing else or repeat the words; others lose that part
  /// of what they stand on. Done again after a crash it goes on.
  Status erase(const ErasedLessons& gone);

 private:
  Status take_one(const Reflection& reflection, const Suggestion& suggestion, RuleWork& work) const;
  Status count_in(const TaskReport& report, RuleWork& work) const;
  Status report_contradiction(const std::string& reflection, const Rule& draft, const Rule& standing,
                              WriteBatch& batch) const;

  RulePorts with_;
  RuleLedger ledger_;
};

/// Whether the reflections include `needed` independent ones: each of another task and another session than the others.
/// Of several on one day the first counts 1, each further one half.
bool independent(std::span<const RuleEvidence> evidence, std::size_t needed);

}  // namespace weft
