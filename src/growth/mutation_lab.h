#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "growth/growth_files.h"
#include "growth/mutation_proposal.h"
#include "growth/promotion_gate.h"
#include "growth/skill_shelf.h"
#include "model/rows.h"
#include "ports/chat/chat_model.h"
#include "ports/files/line_log.h"
#include "weft/config.h"
#include "weft/growth.h"

namespace weft {

/// Which of the two a task uses.
enum class Arm { kOriginal, kVariant };

/// The arm of the so manyth use of a test, from 1 on. Decided by `rates`: odd ones the original, even ones the variant.
/// By `posterior`: pairs, each in an order drawn from the seed, so that no rhythm of the tasks favours one.
Arm arm_of_use(std::uint64_t use, std::uint64_t seed, const EvolutionSettings& settings);

/// The probability that the first succeeds more often than the second, after so many successes of so many uses each,
/// where before nothing was known (uniform). Exact up to rounding.
double probability_better(std::int64_t successes, std::int64_t uses, std::int64_t than_successes,
                          std::int64_t than_uses);

/// What becomes of a test after one more use with a known outcome; `decided` is empty while it goes on.
struct TrialVerdict {
  MutationStage stage = MutationStage::kTesting;
  std::string decided;
};
TrialVerdict judge(const Mutation& test, const EvolutionSettings& settings);

/// Adds a use with a known outcome, and what that makes of the probability.
void add_use(Mutation& test, Arm arm, bool success);

/// What changes of skills stand on. All must outlive the lab.
struct MutationPorts {
  FileSystem& files;
  GrowthFiles places;
  const Clock& clock;
  const Likeness& likeness;
  const EvolutionSettings& settings;
  SkillShelf& skills;
  std::function<ChatModel*()> model = {};  ///< gives null where there is none
  std::function<std::vector<ToolInfo>()> tools = {};  ///< of the registry
  GateKeeper gate = {};  ///< asked before a change that did better is kept
};

/// Tries changes of skills that work well against the originals. A change lies in skills/mutations, where people may
/// read it; what happens to it is a line each in mutation_tests.jsonl, from which all counts are made anew at opening.
/// Nothing is deleted: what was discarded keeps its file and the reason. One change of a skill is on trial at a time;
/// further ones wait. Safe from any thread.
class MutationLab {
 public:
  explicit MutationLab(MutationPorts with) : with_(std::move(with)) {}

  /// Proposes changes of a skill: by a model where there is one, else without. kConflict while one is on trial,
  /// kInvalidArgument where it was not used often enough or does not do well enough, with the figures.
  Result<std::vector<Mutation>> propose(const ScopeKey& scope, const std::string& skill_id);

  /// The skill as this task is to use it; the same for the same task each time. A change has an id of its own, which
  /// the task's report must name.
  Result<Skill> skill_for(const ScopeKey& scope, const std::string& skill_id, const std::string& task);

  /// Counts a task's outcome for the skills and changes that it names. A report counts once; what has no known
  /// outcome, and other agents' transcripts, not at all.
  Status count(const TaskReport& report);

  /// Changes that did better and wait until they were tried on past tasks, of every owner.
  Result<std::vector<Mutation>> waiting();
  /// What these say, or why it still waits: one that waits is kept with it, or waits for a person.
  Status settle(const std::string& id, const PromotionGate& gate);

  /// Takes out what was tried for tasks that are erased: their words, and the changes of an owner's skills, or those
  /// that repeat the words. Counts stay. `skills`: ids of the owner's skills that go.
  Status erase(const ErasedLessons& gone, const std::set<std::string>& skills);

  /// All that the scope may see, the oldest first.
  Result<std::vector<Mutation>> list(const ScopeKey& scope);
  /// A person lets one that waits be tried, or keeps one that is on trial; or discards it.
  Result<Mutation> judge_by_person(const ScopeKey& scope, const std::string& id, bool approve, const std::string& why,
                                   const std::string& by);

 private:
  struct Test {
    Mutation mutation;
    std::string base;  ///< what the original did when the change was proposed
    std::uint64_t assigned = 0;
    std::map<std::string, Arm> arms;  ///< by task
    bool applied = false;  ///< a kept one stands on the shelf
  };
  struct Past {
    std::deque<SkillRun> uses;  ///< with a known outcome, the newest last
    std::int64_t count = 0;
  };

  Status load();
  Status read_files();
  Status apply(std::string_view line);
  Status emit(const std::string& line);
  Status write_file_of(const Mutation& mutation);
  Status decide(Test& test, MutationStage stage, const std::string& why);
  Status put_on_shelf(Test& test);
  Status judge_trial(Test& test);
  std::string left_alone(const Test& test);
  Status pass_gate(Test& test, const TrialVerdict& verdict);
  Test* find(const std::string& id);
  Test* on_trial(const std::string& skill_id);
  Status check_eligible(const Skill& skill);
  Status add(const Skill& skill, const Proposal& proposal, const std::string& by, std::vector<Mutation>& made);
  Status count_one(const std::string& id, const TaskReport& report, bool success);

  MutationPorts with_;
  std::mutex mutex_;
  bool loaded_ = false;
  std::unique_ptr<LineLog> log_;
  std::vector<Test> tests_;
  std::map<std::string, Past> past_;  ///< by the id of the original skill
  std::set<std::string> counted_;  ///< "REPORT SKILL"
};

}  // namespace weft
