#include "engine/talk_gaps.h"

#include <filesystem>

#include "base/call_context.h"
#include "base/log.h"
#include "engine/engine_core.h"
#include "model/scope_key.h"

namespace weft {
namespace {

constexpr std::size_t kTalksKept = 1000, kLongestText = 8000;

}  // namespace

void TalkGaps::note(const MessageRow& row) {
  const Message& message = row.message;
  const bool asks = message.role == Role::kUser;
  const bool answers = message.role == Role::kAssistant && message.tool_calls.empty() && !message.content.empty();
  if ((!asks && !answers) || message.content.size() > kLongestText) return;
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
