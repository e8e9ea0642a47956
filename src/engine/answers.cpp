#include "engine/answers.h"

#include <algorithm>

#include "base/log.h"
#include "engine/agents.h"
#include "engine/engine_core.h"
#include "engine/scope_request.h"
#include "engine/streams.h"
#include "text/json.h"

namespace weft {
namespace {

constexpr const char* kAllow = "allow";
constexpr std::chrono::milliseconds kPause{500}, kAfterFailure{30'000}, kLongPause{std::chrono::hours(1)};

// An answer about a single call of a tool is no knowledge.
bool is_of_a_call(const Question& question) {
  return question.kind == QuestionKind::kApproval || question.kind == QuestionKind::kUnknownOutcome;
}

// The run checks whether they fit its tool.
Status check_edited(const Question& question, const std::string& arguments) {
  if (question.kind != QuestionKind::kApproval || question.answer != kAllow)
    return invalid_argument("\"arguments\" belong to a call that is allowed with them",
                            "leave them out, or answer \"allow\" to the question whether a call may be made");
  WEFT_CHECK(check_json(arguments, {}, "arguments"));
  if (!compact_json(arguments).starts_with('{')) return invalid_argument("\"arguments\" must be a JSON object");
  return {};
}

}  // namespace

Result<std::vector<Question>> Answers::questions(const RequestContext& request) {
  return queue_.questions(request.scope.key().str());
}

Result<Question> Answers::ask(const RequestContext& request, const Question& question) {
  Question own = question;
  own.owner = request.scope.key().str();
  return desk_.ask(own);
}

Result<std::optional<Question>> Answers::next_question(const RequestContext& request) {
  return queue_.next(request.scope.key().str());
}

// The run gets the answer first, because it waits for it. After a crash in between the question still counts as open;
// answering it again does not change the run.
Result<Question> Answers::answer(const RequestContext& request, const std::string& id, const std::string& text,
                                 const std::string& arguments) {
  const std::string owner = request.scope.key().str();
  WEFT_TRY(const Question checked, queue_.check_answer(owner, id, text));
  if (!arguments.empty()) WEFT_CHECK(check_edited(checked, arguments));
  const auto& choices = checked.choices;
  const bool among = std::find(choices.begin(), choices.end(), checked.answer) != choices.end();
  WEFT_CHECK(resume(checked, {id, checked.answer, among ? checked.answer : "", arguments, false}));
  WEFT_TRY(auto answered, desk_.keep_answer(checked, text));
  // If this fails, the reader of the log does it later.
  if (const Status remembered = remember(request, answered); !remembered.ok())
    log_warning("questions.remember", remembered.error().message);
  return answered;
}

// The run that waits, if one does: the answer is on its stream when this returns. A run that is not at work goes on.
Status Answers::resume(const Question& question, const Answered& answer) {
  return question.run.empty() ? Status() : agents_.take_answer(question, answer);
}

Status Answers::remember(const RequestContext& request, const Question& answered) {
  if (is_of_a_call(answered) || answered.stage != QuestionStage::kAnswered || answered.answer.empty()) return {};
  std::vector<Message> talk{Message::assistant(answered.text), Message::user(answered.answer)};
  talk[0].id = asked_message(answered);
  talk[1].id = answer_message(answered);
  const auto kept = streams_.observe(request, SessionId(kQuestionTalk), talk);
  return kept.ok() ? Status() : Status(kept.error());
}

Result<WriteBatch> Answers::read(const LogPart& part) {
  const ScopeKey& scope = part.scope;
  for (const LogEntry& entry : part.entries) {
    if (entry.kind != LogKind::kAnswered) continue;
    const auto answered = queue_.find(scope.str(), entry.body);
    if (!answered.ok() && answered.error().code == ErrorCode::kNotFound) continue;  // erased since
    if (!answered.ok()) return answered.error();
    WEFT_TRY(const auto known, core_.store->messages().get(scope, SessionId(kQuestionTalk), answer_message(*answered)));
    if (known) continue;
    WEFT_TRY(const RequestContext request, request_of_scope(scope));
    WEFT_CHECK(remember(request, *answered));
  }
  return WriteBatch();
}

// A run that waits for the question goes on without an answer.
Result<Question> Answers::withdraw(const RequestContext& request, const std::string& id) {
  WEFT_TRY(const Question open, queue_.find(request.scope.key().str(), id));
  WEFT_CHECK(resume(open, {id, open.fallback, {}, {}, true}));
  return queue_.withdraw(request.scope.key().str(), id);
}

std::optional<std::chrono::milliseconds> Answers::work(std::stop_token stop) {
  bool failed = false;
  const auto over = queue_.overdue();
  if (!over.ok()) log_warning("questions.expire", over.error().message);
  for (const Question& question : over.value_or({})) {
    if (stop.stop_requested()) return kLongPause;
    const Answered fallback{question.id, question.fallback, {}, {}, true};
    // The run first: killed between the two, this is done again, and changes nothing there.
    if (const Status resumed = resume(question, fallback); !resumed.ok()) {
      if (core_.store->is_shared() && resumed.error().code == ErrorCode::kUnavailable) continue;  // of another server
      log_warning("questions.resume", resumed.error().message);
      failed = true;
      continue;
    }
    desk_.settled(question, fallback);
  }
  const auto next = queue_.next_expiry();
  if (failed || !over.ok() || !next.ok()) return kAfterFailure;
  if (!*next) return kLongPause;
  return std::clamp(std::chrono::milliseconds((*next)->ms - core_.clock->now().ms + 1), kPause, kLongPause);
}

}  // namespace weft
