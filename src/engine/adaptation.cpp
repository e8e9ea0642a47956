#include "engine/adaptation.h"

#include <algorithm>

#include "base/log.h"
#include "base/prompts.h"
#include "base/strings.h"
#include "engine/engine_core.h"
#include "engine/talk_gaps.h"
#include "engine/unread_messages.h"
#include "growth/gaps.h"
#include "growth/learning_plan.h"
#include "growth/preference_signs.h"
#include "growth/taught_procedure.h"
#include "model/scope_key.h"

namespace weft {
namespace {

constexpr const char* kLearnt = "adaptation.seq";
constexpr std::string_view kAboutBelief = "belief:";
constexpr std::size_t kAnswersKept = 1000, kLongestText = 20'000;
constexpr std::chrono::milliseconds kPause{500}, kLongPause{std::chrono::hours(1)};

bool is_private(const ScopeKey& scope) { return parts_of_scope(scope).group.empty(); }

std::string told_text(const Belief& belief) {
  return belief.told.empty() ? preference_text(belief.dimension, belief.value, Language::kEnglish) : belief.told;
}

}  // namespace

Adaptation::Adaptation(EngineCore& core, QuestionDesk& desk)
    : core_(core),
      desk_(desk),
      learns_(core.config.workspace),
      book_(disk(), {core.config.workspace}, *core.clock, core.config.adaptation) {}

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
  WEFT_CHECK(book_.take(request.scope.key().str(), signs));
  WEFT_CHECK(ask_about_doubts(request.scope.key()));
  return book_.beliefs(request.scope.key().str());
}

Result<std::vector<std::string>> Adaptation::belief_problems(const RequestContext& request) {
  return book_.problems(request.scope.key().str());
}

Status Adaptation::settle(const Question& question) {
  if (!question.about.starts_with(kAboutBelief)) return {};
  const std::string dimension = question.about.substr(kAboutBelief.size());
  WEFT_TRY(const auto all, book_.beliefs(question.owner));
  for (const Belief& belief : all)
    if (belief.dimension == dimension && told_text(belief) == question.answer) {
      const auto confirmed = book_.confirm(question.owner, dimension, belief.value);
      return confirmed.ok() ? Status() : Status(confirmed.error());
    }
  const auto named = named_preferences(question.answer);
  const auto at = named.find(dimension);
  if (at == named.end()) return {};
  const auto confirmed = book_.confirm(question.owner, dimension, at->second);
  return confirmed.ok() ? Status() : Status(confirmed.error());
}

void Adaptation::note(std::span<const MessageRow> messages) {
  if (!core_.config.adaptation.learn || messages.empty()) return;
  {
    auto waiting = waiting_.lock();
    waiting->insert(waiting->end(), messages.begin(), messages.end());
  }
  if (thread_ != nullptr) thread_->wake();
}

// An answer to a question belongs to the run that asked it.
bool Adaptation::may_learn(const MessageRow& row) const {
  if (!learns_.from(row.scope, row.session)) return false;
  if (row.session.str() != kQuestionTalk) return true;
  const auto question = desk_.about(row.scope.str(), row.message.id);
  return !question ||
         (learns_.from(row.scope, SessionId(question->run)) && learns_.from(row.scope, SessionId(question->session)));
}

void Adaptation::learn(std::span<const MessageRow> messages) {
  std::map<ScopeKey, std::vector<BeliefSignal>> by_owner;
  std::map<std::string, bool> learns;  // by session; in that of questions each message may be of another run
  for (const MessageRow& row : messages) {
    if (row.message.content.size() > kLongestText) continue;
    const auto [known, is_new] = learns.try_emplace(prompt_key(row.scope, row.session));
    if (is_new || row.session.str() == kQuestionTalk) known->second = may_learn(row);
    if (!known->second) continue;
    if (talks_ != nullptr && is_private(row.scope)) talks_->note(row);
    std::string& answer = answers_[prompt_key(row.scope, row.session)];
    if (row.message.role == Role::kAssistant && !row.message.content.empty()) answer = row.message.content;
    if (row.message.role != Role::kUser) continue;
    if (taught_ && is_private(row.scope))
      if (const auto lesson = taught_procedure(row.message.content))
        taught_(row.scope, *lesson, row.session.str() + "/" + row.message.id.str());
    for (BeliefSignal& sign : signs_of_message(answer, row.message.content)) {
      // One member's wish is not the group's: like a choice, it counts when the next ones agree with it.
      if (!is_private(row.scope)) {
        if (sign.kind != SignalKind::kExplicit) continue;
        sign.kind = SignalKind::kChoice;
      }
      sign.source = row.session.str() + "/" + row.message.id.str();
      sign.time = *row.message.time;
      by_owner[row.scope].push_back(std::move(sign));
    }
    answer.clear();
  }
  if (answers_.size() > kAnswersKept) answers_.clear();
  for (const auto& [owner, signs] : by_owner) {
    if (const Status taken = book_.take(owner.str(), signs); !taken.ok())
      log_warning("beliefs.write", taken.error().message);
    else if (const Status asked = ask_about_doubts(owner); !asked.ok())
      log_warning("beliefs.ask", asked.error().message);
  }
}

Status Adaptation::ask_about_doubts(const ScopeKey& owner) {
  WEFT_TRY(const auto doubts, book_.doubtful(owner.str()));
  for (const auto& group : doubts) {
    if (group.size() < 2) continue;
    Gap gap;
    gap.question = QuestionKind::kDecision;
    gap.about = std::string(kAboutBelief) + group.front().dimension;
    const Language language = language_of(told_text(group.front()));
    gap.what = trimmed(shipped_prompt("question_belief", language == Language::kChinese ? "zh" : "en").text);
    for (const Belief& belief : group) gap.choices.push_back(told_text(belief));
    Question question = question_of(gap, {}, {});
    question.owner = owner.str();
    question.urgency = Grade::kLow;
    WEFT_CHECK(desk_.ask_unless_asked(question));
  }
  return {};
}

bool Adaptation::learn_what_waits() {
  const std::lock_guard lock(learning_);
  std::deque<MessageRow> taken;
  taken.swap(*waiting_.lock());
  if (taken.empty()) return false;
  const std::vector<MessageRow> rows(std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  std::int64_t last = 0;
  for (const MessageRow& row : rows) last = std::max(last, row.seq);
  learn(rows);
  // What came meanwhile may have smaller numbers: then it is looked at again after a crash, and its source known.
  if (waiting_.lock()->empty())
    if (const Status noted = core_.store->set_note(kLearnt, std::to_string(last)); !noted.ok())
      log_warning("adaptation.note", noted.error().message);
  return true;
}

std::optional<std::chrono::milliseconds> Adaptation::work(std::stop_token stop) {
  const bool learnt = learn_what_waits();
  if (learnt && talks_ != nullptr) talks_->work();
  // Files are flushed: a burst of messages is taken in at once.
  return learnt && !stop.stop_requested() ? kPause : kLongPause;
}

Status Adaptation::recover() {
  if (!core_.config.adaptation.learn) return {};
  return hand_unread(*core_.store, kLearnt, [this](std::span<const MessageRow> messages) { note(messages); });
}

std::vector<Preference> Adaptation::told(const ScopeKey& scope, std::span<const Preference> known) {
  const auto beliefs = book_.told(scope.str());
  if (!beliefs.ok()) {
    log_warning("beliefs.read", beliefs.error().message);  // the prompt is whole without them
    return {};
  }
  std::set<std::string> said;
  for (const Preference& one : known)
    for (const auto& [dimension, value] : named_preferences(one.text)) said.insert(dimension);
  std::vector<Preference> told;
  for (const Belief& belief : *beliefs)
    if (!said.contains(belief.dimension)) told.push_back({told_text(belief), belief.confidence, {}});
  return told;
}

Status Adaptation::erase(const ErasedMessages& gone) {
  {
    auto waiting = waiting_.lock();
    std::erase_if(*waiting, [&](const MessageRow& row) {
      return row.scope == gone.scope && gone.has(row.session, row.message.id.str());
    });
  }
  const std::lock_guard lock(learning_);
  if (talks_ != nullptr) talks_->erase(gone);
  answers_.clear();
  if (gone.everything) return book_.erase(gone.scope.str());
  const auto sources = gone.sources();
  if (sources.empty()) return {};
  WEFT_TRY(const std::size_t touched, book_.erase_sources(gone.scope.str(), sources));
  if (touched > 0) log_debug("beliefs.erase", gone.scope.str() + ": " + std::to_string(touched));
  return {};
}

}  // namespace weft
