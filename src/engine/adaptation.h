#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/sync.h"
#include "engine/background.h"
#include "engine/services.h"
#include "growth/belief_book.h"
#include "growth/question_queue.h"

namespace weft {

struct EngineCore;
struct MessageRow;

/// What is learnt of users' preferences, and what is asked of them. Signs are taken from messages in a thread of its
/// own, never while somebody waits. Of private scopes only: in a group nobody's habits are everybody's. Safe from any
/// thread.
class Adaptation final : public BeliefService, public QuestionService {
 public:
  /// What goes on with an answer, or with the fallback of a question that expired.
  using Resume = std::function<Status(const Question& question)>;

  Adaptation(EngineCore& core, StreamService& streams);
  /// Reads the log of questions.
  Status open();
  /// Set while the engine opens.
  void resume_with(Resume resume) { resume_ = std::move(resume); }
  /// The thread that calls `work`.
  void run_in(Background* thread) { thread_ = thread; }

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

  // As `QuestionService` says.
  Result<std::vector<Question>> questions(const RequestContext& request) override;
  Result<Question> ask(const RequestContext& request, const Question& question) override;
  Result<std::optional<Question>> next_question(const RequestContext& request) override;
  Result<Question> answer(const RequestContext& request, const std::string& id, const std::string& text) override;
  Result<Question> withdraw(const RequestContext& request, const std::string& id) override;

  /// Messages that were kept, in their order. Returns at once.
  void note(std::span<const MessageRow> messages);
  /// Takes what was noted in, asks about what is in doubt and ends questions whose time is over. Gives when it is to be
  /// called next.
  std::optional<std::chrono::milliseconds> work(std::stop_token stop);
  /// After a restart: messages that a crash left between being kept and being looked at.
  Status recover();

  /// What prompts of a scope are told beside the wishes that are `known` in the user's own words.
  std::vector<Preference> told(const std::string& scope, std::span<const Preference> known);

  /// Takes out what stands on erased messages, or all of a scope.
  Status erase(const std::string& scope, const std::map<SessionId, std::set<std::string>>& messages, bool everything);

 private:
  bool learn_what_waits();
  void learn(std::span<const MessageRow> messages);
  Status ask_about_doubts(const std::string& owner);
  Status settle_belief(const Question& question);
  void expire();
  ActivityHours activity(const std::string& owner);

  EngineCore& core_;
  StreamService& streams_;
  BeliefBook book_;
  std::unique_ptr<QuestionQueue> queue_;
  Resume resume_;
  Background* thread_ = nullptr;
  Sync<std::deque<MessageRow>> waiting_;
  std::mutex learning_;  ///< guards `answers_`, and is held while signs are taken in
  std::map<std::string, std::string> answers_;  ///< the last answer of each session, that a message may react to
};

}  // namespace weft
