#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/learning_budget.h"
#include "engine/lessons.h"
#include "engine/log_readers.h"
#include "engine/questions.h"
#include "engine/run_hooks.h"
#include "growth/belief_book.h"
#include "model/rows.h"
#include "weft/growth.h"

namespace weft {

/// The messages that readers of the log learn from: those of sessions and runs whose owner lets anything be learnt.
/// Safe from any thread.
class LearntMessages {
 public:
  LearntMessages(QuestionDesk& desk, RunLearning learns) : desk_(desk), learns_(std::move(learns)) {}

  /// Those of a part of the log, in their order, for as long as the part is there. Long texts are left out.
  Result<std::vector<std::reference_wrapper<const MessageRow>>> of(const LogPart& part);

 private:
  Result<bool> may_learn(const MessageRow& row) const;

  QuestionDesk& desk_;
  RunLearning learns_;
};

/// Follows the log of private talks and makes skills of the procedures that users teach.
class TaughtSkills final : public LogReader {
 public:
  TaughtSkills(LearntMessages& learnt, Skills& skills) : learnt_(learnt), skills_(skills) {}

  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override;

 private:
  const std::string name_ = "taught_skills";
  LearntMessages& learnt_;
  Skills& skills_;
};

struct EngineCore;
struct MessageRow;

/// Learns users' preferences. A reader of the log takes signs from messages, never while somebody waits. In
/// a group nobody's habits are everybody's: only what several messages say outright counts there. Safe from any thread.
class Adaptation final : public LogReader {
 public:
  Adaptation(EngineCore& core, BeliefBook& beliefs, QuestionDesk& desk, LearntMessages& learnt);

  // As the facet `Beliefs` says.
  Result<std::vector<Belief>> beliefs(const RequestContext& request);
  Result<Belief> confirm_belief(const RequestContext& request, const std::string& dimension, const std::string& value);
  Result<Belief> reject_belief(const RequestContext& request, const std::string& dimension, const std::string& value);
  Result<std::size_t> forget_belief(const RequestContext& request, const std::string& dimension,
                                    const std::string& value);
  Result<std::vector<Belief>> learn_edit(const RequestContext& request, const std::string& before,
                                         const std::string& after, const std::string& source);
  Result<std::vector<std::string>> belief_problems(const RequestContext& request);

  // As `LogReader` says. Takes signs in, asks about what is in doubt, and brings the file of the beliefs up to them.
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override;
  void written(const WriteBatch& batch) override;

  /// Takes out what stands on erased messages, or all of a scope.
  Status erase(const ErasedMessages& gone);

 private:
  Result<std::string> answer_before(const MessageRow& row);
  Status ask_about(const ScopeKey& owner, std::span<const std::vector<Belief>> doubts, WriteBatch& batch);

  const std::string name_ = "adaptation";
  EngineCore& core_;
  BeliefBook& book_;
  QuestionDesk& desk_;
  RunLearning learns_;
  LearntMessages& learnt_;
};

/// What answers of private talks leave open, as `RunGapFinder` finds it for runs: what is unsure and memory does not
/// know either, what cannot be decided, what clashes with a belief. The last answer of a talk alone counts: who goes on
/// talking has seen it, so a question about it is taken back. A reader of the log; safe from any thread.
class TalkGaps final : public LogReader {
 public:
  TalkGaps(EngineCore& core, RunGapFinder& gaps, BeliefBook& beliefs, QuestionDesk& desk, Answers& questions,
           LearntMessages& learnt)
      : core_(core), gaps_(gaps), beliefs_(beliefs), desk_(desk), questions_(questions), learnt_(learnt) {}

  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override;
  bool waits_for_models() const override { return true; }
  void written(const WriteBatch& batch) override;
  /// Nothing is asked of erased messages; questions that were are taken back.
  void erase(const ErasedMessages& gone);

 private:
  struct Talk {
    ScopeKey scope;
    SessionId session;
    std::string asked, answer;  ///< the newest
    bool is_new = false;  ///< the answer was not looked at yet
    std::vector<std::string> questions;  ///< ids of those about it that are open
  };

  void note(const MessageRow& row);
  Status ask_of(const ScopeKey& scope, WriteBatch& batch);
  void take_back(Talk& talk);

  const std::string name_ = "talk_gaps";
  EngineCore& core_;
  RunGapFinder& gaps_;
  BeliefBook& beliefs_;
  QuestionDesk& desk_;
  Answers& questions_;  ///< takes back what nobody need answer any more
  LearntMessages& learnt_;
  std::mutex mutex_;
  std::map<std::string, Talk> talks_;  ///< by scope and session
  /// Talks and ids of the questions that are being written. Only the thread that reads the log uses it.
  std::vector<std::pair<std::string, std::string>> asked_;
};

}  // namespace weft
