#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/learnt_messages.h"
#include "engine/log_readers.h"
#include "engine/question_desk.h"
#include "engine/run_learning.h"
#include "growth/belief_book.h"
#include "model/erased_messages.h"
#include "weft/growth.h"

namespace weft {

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

}  // namespace weft
