#include "engine/questions.h"

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/agents.h"
#include "engine/engine_core.h"
#include "engine/streams.h"
#include "text/json.h"

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
