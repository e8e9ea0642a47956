#include "engine/talk_learning.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/call_context.h"
#include "base/log.h"
#include "base/prompts.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "growth/gaps.h"
#include "growth/learning_plan.h"
#include "growth/preference_signs.h"
#include "growth/skill_lesson.h"
#include "model/rows.h"

namespace weft {

// An answer to a question belongs to the run that asked it.
Result<bool> LearntMessages::may_learn(const MessageRow& row) const {
  if (!learns_.from(row.scope, row.session)) return false;
  if (row.session.str() != kQuestionTalk) return true;
  WEFT_TRY(const auto question, desk_.about(row.scope.str(), row.message.id));
  return !question ||
         (learns_.from(row.scope, SessionId(question->run)) && learns_.from(row.scope, SessionId(question->session)));
}

Result<std::vector<std::reference_wrapper<const MessageRow>>> LearntMessages::of(const LogPart& part) {
  constexpr std::size_t kLongestText = 20'000;
  std::map<SessionId, bool> learns;  // in the session of questions each message may be of another run
  std::vector<std::reference_wrapper<const MessageRow>> learnt;
  for (const MessageRow& row : part.messages) {
    if (row.message.content.size() > kLongestText) continue;
    const auto [known, is_new] = learns.try_emplace(row.session);
    if (is_new || row.session.str() == kQuestionTalk) {
      WEFT_TRY(known->second, may_learn(row));
    }
    if (known->second) learnt.push_back(row);
  }
  return learnt;
}

// A lesson that makes no skill is only reported: a second reading would make none either.
Result<WriteBatch> TaughtSkills::read(const LogPart& part) {
  if (!parts_of_scope(part.scope).group.empty()) return WriteBatch();
  WEFT_TRY(const auto messages, learnt_.of(part));
  for (const MessageRow& row : messages) {
    if (row.message.role != Role::kUser) continue;
    const auto lesson = taught_procedure(row.message.content);
    if (!lesson) continue;
    const std::string source = row.session.str() + "/" + row.message.id.str();
    const Status taken = skills_.take_taught(part.scope.str(), *lesson, source);
    if (!taken.ok() && taken.error().code == ErrorCode::kUnavailable) return taken.error();
    if (!taken.ok()) log_warning("skills.taught", source + ": " + taken.error().message);
  }
  return WriteBatch();
}

namespace {

constexpr std::size_t kLongestMessage = 20'000;
constexpr std::size_t kAnswersLookedAt = 20;  // newest messages before one that may react to an answer among them

bool is_private(const ScopeKey& scope) { return parts_of_scope(scope).group.empty(); }

}  // namespace

Adaptation::Adaptation(EngineCore& core, BeliefBook& beliefs, QuestionDesk& desk, LearntMessages& learnt)
    : core_(core), book_(beliefs), desk_(desk), learns_(core.config.workspace), learnt_(learnt) {}

Result<std::vector<Belief>> Adaptation::beliefs(const RequestContext& request) {
  return book_.beliefs(request.scope.key().str());
}

Result<Belief> Adaptation::confirm_belief(const RequestContext& request, const std::string& dimension,
                                          const std::string& value) {
  return book_.confirm(request.scope.key().str(), dimension, value);
}

Result<Belief> Adaptation::reject_belief(const RequestContext& request, const std::string& dimension,
                                         const std::string& value) {
  return book_.reject(request.scope.key().str(), dimension, value);
}

Result<std::size_t> Adaptation::forget_belief(const RequestContext& request, const std::string& dimension,
                                              const std::string& value) {
  return book_.forget(request.scope.key().str(), dimension, value);
}

Result<std::vector<Belief>> Adaptation::learn_edit(const RequestContext& request, const std::string& before,
                                                   const std::string& after, const std::string& source) {
  if (before.empty() || after.empty())
    return invalid_argument("edit: it needs the text before and after", "give both, as they stood");
  if (!learns_.from(request.scope.key())) return learning_is_off(request.scope.key());
  auto signs = signs_of_edit(before, after);
  for (BeliefSignal& sign : signs) {
    sign.source = source;
    sign.time = core_.clock->now();
  }
  const ScopeKey scope = request.scope.key();
  const auto kept = core_.store->transact([&](WriteBatch& batch) -> Status {
    WEFT_TRY(const auto doubts, book_.take(scope.str(), signs, batch));
    return ask_about(scope, doubts, batch);
  });
  if (!kept.ok()) return kept.error();
  written(*kept);
  return book_.beliefs(scope.str());
}

Result<std::vector<std::string>> Adaptation::belief_problems(const RequestContext& request) {
  return book_.problems(request.scope.key().str());
}

// The newest answer of a session that nobody has reacted to when a message comes.
Result<std::string> Adaptation::answer_before(const MessageRow& row) {
  WEFT_TRY(const auto before, core_.store->messages().before(row.scope, row.session, row.seq, kAnswersLookedAt));
  for (auto at = before.rbegin(); at != before.rend() && at->message.role != Role::kUser; ++at)
    if (at->message.role == Role::kAssistant && !at->message.content.empty() &&
        at->message.content.size() <= kLongestMessage)
      return at->message.content;
  return std::string();
}

Result<WriteBatch> Adaptation::read(const LogPart& part) {
  const ScopeKey& scope = part.scope;
  WEFT_TRY(const auto messages, learnt_.of(part));
  std::vector<BeliefSignal> signs;
  std::map<SessionId, std::string> answers;  // of each session, the newest that nobody has reacted to
  for (const MessageRow& row : messages) {
    const auto [answer, is_new] = answers.try_emplace(row.session);
    const bool answers_now = row.message.role == Role::kAssistant && !row.message.content.empty();
    if (is_new && !answers_now) {
      WEFT_TRY(answer->second, answer_before(row));
    }
    if (answers_now) answer->second = row.message.content;
    if (row.message.role != Role::kUser) continue;
    for (BeliefSignal& sign : signs_of_message(answer->second, row.message.content)) {
      // One member's wish is not the group's: like a choice, it counts when the next ones agree with it.
      if (!is_private(scope)) {
        if (sign.kind != SignalKind::kExplicit) continue;
        sign.kind = SignalKind::kChoice;
      }
      sign.source = row.session.str() + "/" + row.message.id.str();
      sign.time = *row.message.time;
      signs.push_back(std::move(sign));
    }
    answer->second.clear();
  }
  WriteBatch batch;
  const auto is_beliefs = [](const LogEntry& entry) { return is_change_of(entry, BeliefBook::kKind); };
  if (!signs.empty()) {
    WEFT_TRY(const auto doubts, book_.take(scope.str(), signs, batch));
    WEFT_CHECK(ask_about(scope, doubts, batch));
  } else if (std::any_of(part.entries.begin(), part.entries.end(), is_beliefs)) {
    WEFT_CHECK(book_.show(scope.str()));
  }
  return batch;
}

void Adaptation::written(const WriteBatch& batch) {
  for (const DocumentRow& row : batch.documents)
    if (row.kind == BeliefBook::kKind)
      if (const Status shown = book_.show(row.scope.str()); !shown.ok())
        log_warning("beliefs.show", shown.error().message);
  desk_.written(batch);
}

Status Adaptation::ask_about(const ScopeKey& owner, std::span<const std::vector<Belief>> doubts, WriteBatch& batch) {
  std::vector<Question> questions;
  for (const auto& group : doubts) {
    if (group.size() < 2) continue;
    Gap gap;
    gap.question = QuestionKind::kDecision;
    gap.about = std::string(BeliefBook::kAbout) + group.front().dimension;
    const Language language = language_of(told_text(group.front()));
    gap.what = trimmed(shipped_prompt("question_belief", language == Language::kChinese ? "zh" : "en").text);
    for (const Belief& belief : group) gap.choices.push_back(told_text(belief));
    Question question = question_of(gap, {}, {});
    question.owner = owner.str();
    question.urgency = Grade::kLow;
    WEFT_TRY(const bool asked, desk_.asked_lately(question));
    if (!asked && question.text.size() <= QuestionQueue::kLongestText) questions.push_back(std::move(question));
  }
  const auto asked = desk_.add_to(batch, std::move(questions));
  return asked.ok() ? Status() : Status(asked.error());
}

Status Adaptation::erase(const ErasedMessages& gone) {
  if (gone.everything) return book_.erase(gone.scope.str());
  const auto sources = gone.sources();
  if (sources.empty()) return {};
  WEFT_TRY(const std::size_t touched, book_.erase_sources(gone.scope.str(), sources));
  if (touched > 0) log_debug("beliefs.erase", gone.scope.str() + ": " + std::to_string(touched));
  return {};
}

namespace {

constexpr std::size_t kTalksKept = 1000, kLongestTalk = 8000;

}  // namespace

void TalkGaps::note(const MessageRow& row) {
  const Message& message = row.message;
  const bool asks = message.role == Role::kUser;
  const bool answers = message.role == Role::kAssistant && message.tool_calls.empty() && !message.content.empty();
  if ((!asks && !answers) || message.content.size() > kLongestTalk) return;
  const std::lock_guard lock(mutex_);
  if (talks_.size() > kTalksKept) talks_.clear();
  Talk& talk = talks_[prompt_key(row.scope, row.session)];
  talk.scope = row.scope;
  talk.session = row.session;
  if (asks) take_back(talk);
  (asks ? talk.asked : talk.answer) = message.content;
  talk.is_new = answers && !talk.asked.empty();
}

void TalkGaps::take_back(Talk& talk) {
  const auto scope = Scope::of_user(parts_of_scope(talk.scope).user);
  for (const std::string& id : talk.questions)
    if (scope.ok())
      if (const auto gone = questions_.withdraw({*scope, {}, {}}, id);
          !gone.ok() && gone.error().code != ErrorCode::kConflict)
        log_debug("talk.gaps", gone.error().message);
  talk.questions.clear();
}

Result<WriteBatch> TalkGaps::read(const LogPart& part) {
  if (!parts_of_scope(part.scope).group.empty()) return WriteBatch();
  WEFT_TRY(const auto messages, learnt_.of(part));
  for (const MessageRow& row : messages) note(row);
  WriteBatch batch;
  WEFT_CHECK(ask_of(part.scope, batch));
  return batch;
}

Status TalkGaps::ask_of(const ScopeKey& of, WriteBatch& batch) {
  std::vector<std::string> keys;  // of the talks that the questions belong to
  std::vector<Question> questions;
  std::vector<std::string> wanted;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, talk] : talks_)
      if (talk.is_new && talk.scope == of) wanted.push_back(key);
  }
  for (const std::string& key : wanted) {
    TaskReport report;
    {
      const std::lock_guard lock(mutex_);
      const auto found = talks_.find(key);
      if (found == talks_.end() || !found->second.is_new) continue;
      found->second.is_new = false;
      report.owner = found->second.scope.str();
      report.session = report.run = found->second.session.str();
      report.task = found->second.asked;
      report.output = found->second.answer;
    }
    const auto scope = Scope::of_user(parts_of_scope(ScopeKey(report.owner)).user);
    std::error_code ignored;  // a run's own answers are looked at when it ends
    if (!scope.ok() || std::filesystem::exists(
                           std::filesystem::path(core_.config.workspace) / "agents" / (report.run + ".jsonl"), ignored))
      continue;
    const CallScope call(Account{report.owner, {}});
    for (Question& question : gaps_.after({*scope, {}, {}}, report, beliefs_.told(report.owner).value_or({}))) {
      question.session = report.session;
      question.urgency = Grade::kLow;  // nothing waits for it
      const std::lock_guard lock(mutex_);
      const auto talk = talks_.find(key);
      // Erased meanwhile, or the talk has gone on.
      if (talk == talks_.end() || talk->second.answer != report.output || talk->second.asked != report.task) break;
      if (question.text.size() > QuestionQueue::kLongestText) continue;
      keys.push_back(key);
      questions.push_back(std::move(question));
    }
  }
  WEFT_TRY(const auto asked, desk_.add_to(batch, std::move(questions)));
  asked_.clear();
  for (std::size_t i = 0; i < asked.size(); ++i) asked_.emplace_back(keys[i], asked[i].id);
  if (batch.empty()) written(batch);  // all of them wait already
  return {};
}

// Ids are final only after the write: if it is refused, another question may get them.
void TalkGaps::written(const WriteBatch& batch) {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, id] : asked_)
      if (const auto talk = talks_.find(key); talk != talks_.end()) talk->second.questions.push_back(id);
  }
  asked_.clear();
  desk_.written(batch);
}

void TalkGaps::erase(const ErasedMessages& gone) {
  const std::lock_guard lock(mutex_);
  for (auto at = talks_.begin(); at != talks_.end();) {
    Talk& talk = at->second;
    const bool concerned = talk.scope == gone.scope && (gone.everything || gone.messages.contains(talk.session));
    if (!concerned) {
      ++at;
      continue;
    }
    take_back(talk);
    at = talks_.erase(at);
  }
}

}  // namespace weft
