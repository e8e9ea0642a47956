#include "engine/adaptation.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "base/prompts.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "growth/gaps.h"
#include "growth/learning_plan.h"
#include "growth/preference_signs.h"
#include "model/scope_key.h"

namespace weft {
namespace {

constexpr std::size_t kLongestText = 20'000;
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
        at->message.content.size() <= kLongestText)
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

}  // namespace weft
