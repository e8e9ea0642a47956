#pragma once

#include <functional>
#include <vector>

#include "engine/log_readers.h"
#include "engine/question_desk.h"
#include "engine/run_learning.h"
#include "engine/skills.h"

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

}  // namespace weft
