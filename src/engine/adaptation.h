#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/log_readers.h"
#include "engine/question_desk.h"
#include "engine/run_learning.h"
#include "engine/services.h"
#include "growth/belief_book.h"
#include "model/erased_messages.h"

namespace weft {

struct EngineCore;
struct MessageRow;
class TalkGaps;

/// Learns users' preferences. A reader of the log takes signs from messages, never while somebody waits. In
/// a group nobody's habits are everybody's: only what several messages say outright counts there. Safe from any thread.
class Adaptation final : public BeliefService, public LogReader {
 public:
  Adaptation(EngineCore& core, QuestionDesk& desk);
  /// Told of a procedure that a user teaches in a private talk, with "SESSION/MESSAGE". Set while the engine opens.
  void when_taught(
      std::function<void(const ScopeKey& owner, const SkillLesson& lesson, const std::string& source)> taught) {
    taught_ = std::move(taught);
  }

  /// Who looks what answers of private talks leave open, told of their messages. Set while the engine opens.
  void look_for_gaps(TalkGaps& talks) { talks_ = &talks; }

  // As `BeliefService` says.
  Result<std::vector<Belief>> beliefs(const RequestContext& request) override;
  Result<Belief> confirm_belief(const RequestContext& request, const std::string& dimension,
                                const std::string& value) override;
  Result<Belief> reject_belief(const RequestContext& request, const std::string& dimension,
                               const std::string& value) override;
  Result<std::size_t> forget_belief(const RequestContext& request, const std::string& dimension,
                                    const std::string& value) override;
  Result<std::vector<Belief>> learn_edit(const RequestContext& request, const std::string& before,
                                         const std::string& after, const std::string& source) override;
  Result<std::vector<std::string>> belief_problems(const RequestContext& request) override;

  // As `LogReader` says. Takes signs in, and asks about what is in doubt and what answers leave open.
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const ScopeKey& scope, std::span<const LogEntry> entries) override;

  /// What prompts of a scope are told beside the wishes that are `known` in the user's own words.
  std::vector<Preference> told(const ScopeKey& scope, std::span<const Preference> known);

  /// The beliefs of a scope that are sure enough to be told.
  std::vector<Belief> told_beliefs(const ScopeKey& scope) { return book_.told(scope.str()).value_or({}); }

  /// The answer to a question about a doubt settles it, if it names a value.
  Status settle(const Question& answered);

  /// Takes out what stands on erased messages, or all of a scope.
  Status erase(const ErasedMessages& gone);

 private:
  Result<std::string> answer_before(const MessageRow& row);
  bool may_learn(const MessageRow& row) const;
  Status ask_about_doubts(const ScopeKey& owner);

  const std::string name_ = "adaptation";
  EngineCore& core_;
  QuestionDesk& desk_;
  RunLearning learns_;
  BeliefBook book_;
  std::function<void(const ScopeKey& owner, const SkillLesson& lesson, const std::string& source)> taught_;
  TalkGaps* talks_ = nullptr;
};

}  // namespace weft
