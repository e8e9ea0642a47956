#include "engine/question_desk.h"

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/engine_core.h"

namespace weft {
namespace {

constexpr int kAnswerTries = 20;
constexpr std::size_t kLookedThrough = 500;  // newest questions that were asked before
constexpr std::int64_t kAskAgainMs = 30LL * 24 * 60 * 60 * 1000;

}  // namespace

QuestionDesk::QuestionDesk(EngineCore& core, BeliefBook& beliefs)
    : core_(core),
      beliefs_(beliefs),
      queue_(*core.store, *core.clock, core.config.adaptation,
             [this](const std::string& owner) { return activity(owner); }) {}

Status QuestionDesk::open() {
  return queue_.take_former_log(disk(),
                                std::filesystem::path(core_.config.workspace) / "curiosity" / "questions.jsonl");
}

Result<Question> QuestionDesk::ask(const Question& question) {
  WEFT_TRY(auto queued, queue_.ask(question));
  core_.asker.wake();
  return queued;
}

Result<std::vector<Question>> QuestionDesk::add_to(WriteBatch& batch, std::vector<Question> questions) const {
  return queue_.add_to(batch, std::move(questions));
}

void QuestionDesk::written(const WriteBatch& batch) {
  const auto is_question = [](const DocumentRow& row) { return row.kind == QuestionQueue::kKind; };
  if (std::any_of(batch.documents.begin(), batch.documents.end(), is_question)) core_.asker.wake();
}

Result<bool> QuestionDesk::asked_lately(const Question& question) const {
  const std::int64_t now = core_.clock->now().ms;
  WEFT_TRY(const auto all, queue_.newest(question.owner, kLookedThrough));
  return std::any_of(all.begin(), all.end(), [&](const Question& one) {
    return one.about == question.about && now - one.created.ms < kAskAgainMs;
  });
}

Result<std::optional<Question>> QuestionDesk::about(const std::string& owner, const MessageId& said) const {
  auto found = queue_.find(owner, said.str().substr(0, said.str().find('.')));
  if (!found.ok() && found.error().code == ErrorCode::kNotFound) return std::optional<Question>();
  if (!found.ok()) return found.error();
  const bool is_it = asked_message(*found) == said || answer_message(*found) == said;
  return is_it ? std::optional(std::move(found).value()) : std::nullopt;
}

// Ends a question in one transaction with the belief that its answer settles and an entry of the log. If the belief
// cannot be read or changed, the answer is stored without it. `write` gets the other rows; it is called again if the
// beliefs have changed meanwhile.
template <class Write>
auto QuestionDesk::with_effects(const Question& answered, const Write& write) {
  for (int tries = 1;; ++tries) {
    WriteBatch batch;
    if (const Status settled = beliefs_.settle(answered, batch); !settled.ok()) {
      log_warning("questions.belief", settled.error().message);
      batch = {};
    }
    batch.log.push_back({ScopeKey(answered.owner), 0, LogKind::kAnswered, SessionId(kQuestionTalk), answered.id, 0});
    auto written = write(std::move(batch));
    if (written.ok() || written.error().code != ErrorCode::kConflict || tries == kAnswerTries) return written;
    const auto now = queue_.find(answered.owner, answered.id);
    if (!now.ok() || !is_open(*now) || now->expires <= core_.clock->now()) return written;
  }
}

Result<Question> QuestionDesk::keep_answer(const Question& answered, const std::string& text) {
  auto kept = with_effects(
      answered, [&](WriteBatch with) { return queue_.answer(answered.owner, answered.id, text, std::move(with)); });
  // The run has already settled the question with this answer.
  if (!kept.ok() && kept.error().code == ErrorCode::kConflict && !answered.run.empty())
    if (auto now = queue_.find(answered.owner, answered.id); now.ok() && now->stage == QuestionStage::kAnswered)
      kept = std::move(now);
  if (kept.ok())
    if (const Status shown = beliefs_.show(answered.owner); !shown.ok())
      log_warning("beliefs.show", shown.error().message);
  return kept;
}

void QuestionDesk::settled(const Question& question, const Answered& answer) {
  Question ended = question;
  ended.answer = answer.text;
  const auto settle = [&](WriteBatch with) {
    return queue_.settle(question.owner, question.id, answer.text, answer.timed_out, std::move(with));
  };
  const Status settled = answer.timed_out ? settle({}) : with_effects(ended, settle);
  if (!settled.ok()) log_warning("questions.settle", settled.error().message);
}

ActivityHours QuestionDesk::activity(const std::string& owner) {
  ActivityHours hours;
  const Status read = core_.store->messages().scan(ScopeKey(owner), true, [&](MessageRow&& row) {
    if (row.message.role == Role::kUser && row.message.time) hours.count(*row.message.time);
  });
  if (!read.ok()) log_warning("questions.activity", read.error().message);
  return hours;
}

Result<std::vector<std::pair<SessionId, MessageId>>> QuestionDesk::said_of(const ErasedMessages& gone,
                                                                           const std::set<std::string>& asked) const {
  std::vector<std::pair<SessionId, MessageId>> said;
  WEFT_TRY(const auto questions, queue_.made_of(gone, asked));
  for (const Question& question : questions) {
    said.emplace_back(kQuestionTalk, asked_message(question));
    said.emplace_back(kQuestionTalk, answer_message(question));
  }
  return said;
}

}  // namespace weft
