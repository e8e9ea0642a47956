#include "engine/question_desk.h"

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/engine_core.h"
#include "text/json.h"

namespace weft {
namespace {

constexpr const char* kAllow = "allow";
constexpr std::chrono::milliseconds kPause{500}, kLongPause{std::chrono::hours(1)};
constexpr std::int64_t kAskAgainMs = 30LL * 24 * 60 * 60 * 1000;

// What is said of a single call of a tool is no knowledge.
bool is_of_a_call(const Question& question) {
  return question.kind == QuestionKind::kApproval || question.kind == QuestionKind::kUnknownOutcome;
}

// Whether they fit the tool is the run's to say, which has it.
Status check_edited(const Question& question, const std::string& arguments) {
  if (question.kind != QuestionKind::kApproval || question.answer != kAllow)
    return invalid_argument("\"arguments\" belong to a call that is allowed with them",
                            "leave them out, or answer \"allow\" to the question whether a call may be made");
  WEFT_CHECK(check_json(arguments, {}, "arguments"));
  if (!compact_json(arguments).starts_with('{')) return invalid_argument("\"arguments\" must be a JSON object");
  return {};
}

}  // namespace

QuestionDesk::QuestionDesk(EngineCore& core, StreamService& streams)
    : core_(core),
      streams_(streams),
      queue_(*core.store, *core.clock, core.config.adaptation,
             [this](const std::string& owner) { return activity(owner); }) {}

Status QuestionDesk::open() {
  return queue_.take_former_log(disk(),
                                std::filesystem::path(core_.config.workspace) / "curiosity" / "questions.jsonl");
}

Result<std::vector<Question>> QuestionDesk::questions(const RequestContext& request) {
  return queue_.questions(request.scope.key().str());
}

Result<Question> QuestionDesk::ask(const RequestContext& request, const Question& question) {
  Question own = question;
  own.owner = request.scope.key().str();
  return ask(own);
}

Result<Question> QuestionDesk::ask(const Question& question) {
  WEFT_TRY(auto queued, queue_.ask(question));
  asked();
  return queued;
}

Result<std::vector<Question>> QuestionDesk::ask(std::vector<Question> questions, WriteBatch& batch) const {
  return queue_.ask(std::move(questions), batch);
}

void QuestionDesk::asked() {
  if (thread_ != nullptr) thread_->wake();
}

Result<bool> QuestionDesk::asked_lately(const Question& question) const {
  const std::int64_t now = core_.clock->now().ms;
  WEFT_TRY(const auto all, queue_.questions(question.owner));
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

Result<std::optional<Question>> QuestionDesk::next_question(const RequestContext& request) {
  return queue_.next(request.scope.key().str());
}

// The run first: it is what waits. Killed between the two, the question is told again to be open, and a further answer
// to it changes nothing there.
Result<Question> QuestionDesk::answer(const RequestContext& request, const std::string& id, const std::string& text,
                                      const std::string& arguments) {
  const std::string owner = request.scope.key().str();
  WEFT_TRY(const Question checked, queue_.check_answer(owner, id, text));
  if (!arguments.empty()) WEFT_CHECK(check_edited(checked, arguments));
  const auto& choices = checked.choices;
  const bool among = std::find(choices.begin(), choices.end(), checked.answer) != choices.end();
  if (!checked.run.empty() && uses_.resume)
    WEFT_CHECK(uses_.resume(checked, {id, checked.answer, among ? checked.answer : "", arguments, false}));
  auto answered = queue_.answer(owner, id, text);
  // The loop was quicker: it is settled already.
  if (!answered.ok() && !checked.run.empty() && answered.error().code == ErrorCode::kConflict)
    answered = queue_.find(owner, id);
  if (!answered.ok()) return answered;
  // The answer stands; what follows from it is made up for by nobody, so that a failure is told and does not undo it.
  if (uses_.settle)
    if (const Status settled = uses_.settle(*answered); !settled.ok())
      log_warning("questions.belief", settled.error().message);
  remember(request, *answered);
  return answered;
}

void QuestionDesk::remember(const RequestContext& request, const Question& answered) {
  if (is_of_a_call(answered) || answered.answer.empty()) return;
  std::vector<Message> talk{Message::assistant(answered.text), Message::user(answered.answer)};
  talk[0].id = asked_message(answered);
  talk[1].id = answer_message(answered);
  if (const auto kept = streams_.observe(request, SessionId(kQuestionTalk), talk); !kept.ok())
    log_warning("questions.remember", kept.error().message);
}

// Nobody will answer: what waits goes on as without an answer.
Result<Question> QuestionDesk::withdraw(const RequestContext& request, const std::string& id) {
  WEFT_TRY(const Question open, queue_.find(request.scope.key().str(), id));
  if (!open.run.empty() && uses_.resume) WEFT_CHECK(uses_.resume(open, {id, open.fallback, {}, {}, true}));
  return queue_.withdraw(request.scope.key().str(), id);
}

void QuestionDesk::settled(const Question& question, const Answered& answer) {
  if (const Status settled = queue_.settle(question.owner, question.id, answer.text, answer.timed_out); !settled.ok())
    log_warning("questions.settle", settled.error().message);
}

std::optional<std::chrono::milliseconds> QuestionDesk::work(std::stop_token stop) {
  const auto over = queue_.expire();
  if (!over.ok()) log_warning("questions.expire", over.error().message);
  for (const Question& question : over.value_or({})) {
    if (stop.stop_requested()) return kLongPause;
    if (question.run.empty() || !uses_.resume) continue;
    if (const Status told = uses_.resume(question, {question.id, question.fallback, {}, {}, true}); !told.ok())
      log_warning("questions.resume", told.error().message);
  }
  const auto next = queue_.next_expiry();
  if (!next.ok() || !*next) return kLongPause;
  return std::clamp(std::chrono::milliseconds((*next)->ms - core_.clock->now().ms + 1), kPause, kLongPause);
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
