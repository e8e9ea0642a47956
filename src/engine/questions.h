#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agent/loop.h"
#include "engine/agents.h"
#include "engine/log_readers.h"
#include "growth/belief_book.h"
#include "growth/question_queue.h"
#include "model/rows.h"
#include "weft/growth.h"

namespace weft {

struct EngineCore;

/// Where questions to people are asked and kept: from users, programs and runs of agents, about doubts of beliefs and
/// gaps of tasks. `Answers` takes the answers. Safe from any thread.
class QuestionDesk final : public RunQuestions {
 public:
  /// `beliefs`: those that answers settle.
  QuestionDesk(EngineCore& core, BeliefBook& beliefs);
  /// Takes over what former versions kept.
  Status open();

  // As `RunQuestions` says. Both to the owner that the question names.
  Result<Question> ask(const Question& question) override;
  void settled(const Question& question, const Answered& answer) override;
  /// Ends a question with its answer; what the answer says of a belief is kept with it.
  Result<Question> keep_answer(const Question& answered, const std::string& text);

  /// As `QuestionQueue::add_to`. `written` is called after the write.
  Result<std::vector<Question>> add_to(WriteBatch& batch, std::vector<Question> questions) const;
  void written(const WriteBatch& batch);
  /// Whether the owner was asked lately with the same `about`.
  Result<bool> asked_lately(const Question& question) const;
  /// The question that this message of the session `questions` asks or answers.
  Result<std::optional<Question>> about(const std::string& owner, const MessageId& said) const;

  /// What was said of questions that come of erased messages. `asked`: see `QuestionQueue::erase`.
  Result<std::vector<std::pair<SessionId, MessageId>>> said_of(const ErasedMessages& gone,
                                                               const std::set<std::string>& asked) const;
  Status erase(const ErasedMessages& gone, const std::set<std::string>& asked) { return queue_.erase(gone, asked); }

  QuestionQueue& queue() { return queue_; }

 private:
  template <class Write>
  auto with_effects(const Question& answered, const Write& write);
  ActivityHours activity(const std::string& owner);

  EngineCore& core_;
  BeliefBook& beliefs_;
  QuestionQueue queue_;
};

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
