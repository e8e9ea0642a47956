#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/agents.h"
#include "engine/log_readers.h"
#include "engine/question_desk.h"
#include "weft/growth.h"

namespace weft {

struct EngineCore;

/// Takes people's answers to questions. An answer over any surface lets the run that waits for it go on. The call that
/// brings an answer remembers it; if that fails, a reader of the log does. Safe from any thread.
class Answers final : public LogReader {
 public:
  Answers(EngineCore& core, QuestionDesk& desk, Streams& streams, Agents& agents)
      : core_(core), desk_(desk), queue_(desk.queue()), streams_(streams), agents_(agents) {}

  // As the facet `Questions` says.
  Result<std::vector<Question>> questions(const RequestContext& request);
  Result<Question> ask(const RequestContext& request, const Question& question);
  Result<std::optional<Question>> next_question(const RequestContext& request);
  Result<Question> answer(const RequestContext& request, const std::string& id, const std::string& text,
                          const std::string& arguments);
  Result<Question> withdraw(const RequestContext& request, const std::string& id);

  // As `LogReader` says.
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const LogPart& part) override;

  /// Ends questions whose time is over. Gives when it is to be called next.
  std::optional<std::chrono::milliseconds> work(std::stop_token stop);

 private:
  Status resume(const Question& question, const Answered& answer);
  Status remember(const RequestContext& request, const Question& answered);

  const std::string name_ = "answers";
  EngineCore& core_;
  QuestionDesk& desk_;
  QuestionQueue& queue_;
  Streams& streams_;
  Agents& agents_;
};

}  // namespace weft
