#pragma once

#include "engine/learnt_messages.h"
#include "engine/log_readers.h"
#include "engine/skills.h"

namespace weft {

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
