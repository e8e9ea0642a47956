#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agent/run_questions.h"
#include "engine/log_readers.h"
#include "engine/services.h"
#include "growth/belief_book.h"
#include "growth/question_queue.h"
#include "model/erased_messages.h"

namespace weft {

struct EngineCore;

/// All questions to people, from users, programs and runs of agents, about doubts of beliefs and gaps of tasks. An
/// answer that comes over any surface lets the run that waits for it go on. The call that brings an answer remembers
/// it; if that fails, a reader of the log does. Safe from any thread.
class QuestionDesk final : public QuestionService, public RunQuestions, public LogReader {
 public:
  /// The run that waits: it is on its stream when this returns. A run that is not at work goes on with an answer.
  using Resume = std::function<Status(const Question& question, const Answered& answer)>;

  /// `beliefs`: those that answers settle.
  QuestionDesk(EngineCore& core, StreamService& streams, BeliefBook& beliefs);
  /// Takes over what former versions kept.
  Status open();
  /// Set while the engine opens.
  void use(Resume resume) { resume_ = std::move(resume); }

  // As `QuestionService` says.
  Result<std::vector<Question>> questions(const RequestContext& request) override;
  Result<Question> ask(const RequestContext& request, const Question& question) override;
  Result<std::optional<Question>> next_question(const RequestContext& request) override;
  Result<Question> answer(const RequestContext& request, const std::string& id, const std::string& text,
                          const std::string& arguments) override;
  Result<Question> withdraw(const RequestContext& request, const std::string& id) override;

  // As `RunQuestions` says: `ask` to the owner that the question names.
  Result<Question> ask(const Question& question) override;
  void settled(const Question& question, const Answered& answer) override;

  // As `LogReader` says.
  const std::string& name() const override { return name_; }
  Result<WriteBatch> read(const ScopeKey& scope, std::span<const LogEntry> entries) override;

  /// As `QuestionQueue::add_to`. `written` is called after the write.
  Result<std::vector<Question>> add_to(WriteBatch& batch, std::vector<Question> questions) const;
  void written(const WriteBatch& batch) override;
  /// Whether the owner was asked lately with the same `about`.
  Result<bool> asked_lately(const Question& question) const;
  /// The question that this message of the session `questions` asks or answers.
  Result<std::optional<Question>> about(const std::string& owner, const MessageId& said) const;

  /// Ends questions whose time is over. Gives when it is to be called next.
  std::optional<std::chrono::milliseconds> work(std::stop_token stop);

  /// What was said of questions that come of erased messages. `asked`: see `QuestionQueue::erase`.
  Result<std::vector<std::pair<SessionId, MessageId>>> said_of(const ErasedMessages& gone,
                                                               const std::set<std::string>& asked) const;
  Status erase(const ErasedMessages& gone, const std::set<std::string>& asked) { return queue_.erase(gone, asked); }

 private:
  template <class Write>
  auto with_effects(const Question& answered, const Write& write);
  Result<Question> keep_answer(const Question& answered, const std::string& text);
  Status remember(const RequestContext& request, const Question& answered);
  ActivityHours activity(const std::string& owner);

  const std::string name_ = "answers";
  EngineCore& core_;
  StreamService& streams_;
  BeliefBook& beliefs_;
  QuestionQueue queue_;
  Resume resume_;
  std::atomic<std::int64_t> next_check_ms_ = std::numeric_limits<std::int64_t>::max();  ///< when `work` is called next
};

}  // namespace weft
