#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/loop_hooks.h"
#include "growth/belief_book.h"
#include "growth/question_queue.h"
#include "model/erased_messages.h"

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

}  // namespace weft
