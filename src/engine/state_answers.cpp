// What a model writes into its answer to change the state: each block once, as a whole or not at all, and where it is
// refused the next prompt of the session says why.
#include <fmt/format.h>
#include <xxhash.h>

#include "base/fault_point.h"
#include "base/log.h"
#include "engine/engine_core.h"
#include "engine/states.h"
#include "flow/memory/state_answer.h"
#include "flow/stream/conversation.h"
#include "text/value.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kRefusals = "state_refusal";  // by session
constexpr std::int64_t kPatienceMs = 10'000;  // in which the caller that kept a message applies its operations

JobId job_of(const ScopeKey& scope, const SessionId& session, const MessageId& message) {
  const std::string name = std::to_string(scope.str().size()) + ":" + scope.str() +
                           std::to_string(session.str().size()) + ":" + session.str() + message.str();
  const XXH128_hash_t digest = XXH3_128bits(name.data(), name.size());
  return JobId(fmt::format("state-{:016x}{:016x}", digest.high64, digest.low64));
}

}  // namespace

// The reason, where a block was refused; empty else. A block that was applied before changes nothing.
std::string States::apply_blocks(const StoryScope& scope, const SessionId& session, const Message& message,
                                 const MessageId& id) {
  std::string refused;
  for (const AnswerOperations& block : operations_in_answer(message.content)) {
    std::string why = block.problem;
    if (why.empty()) {
      const StateChange change{
          block.operations, "model", {}, session.str() + "/answer:" + id.str() + "/" + block.state, ""};
      const auto changed = change_state(scope, block.state, change);
      if (changed.ok()) continue;
      why = changed.error().message + (changed.error().hint.empty() ? "" : " (" + changed.error().hint + ")");
    }
    refused += (refused.empty() ? "" : "\n") + why;
  }
  return refused;
}

// The transaction that ends the job notes the reason of a refusal, too.
Result<std::string> States::apply_answer(const StoryScope& scope, const SessionId& session, const Message& message,
                                         const MessageId& id, const JobId& job) {
  const std::string refused = apply_blocks(scope, session, message, id);
  WEFT_CHECK(fault_point(FaultPoint::kAnswerApplied));
  WriteBatch batch;
  batch.erased_jobs = {job};
  WEFT_TRY(const auto before, core_.store->documents().newest(scope.own, kRefusals, session.str()));
  if (before || !refused.empty()) {
    const Value body(ValueObject{{"digest", std::to_string(digest_of(message))}, {"reason", refused}});
    batch.documents.push_back({scope.own, kRefusals, session.str(), before ? before->version + 1 : 1,
                               core_.clock->now(), "model", to_json(body)});
  }
  WEFT_CHECK(core_.store->write(batch));
  return refused;
}

// The caller applies the operations at once; the job waits a while, for the case that the caller did not come to it.
void States::add_jobs(const RequestContext& request, const SessionId& session, StreamChange& change) {
  const std::int64_t now_ms = core_.clock->now().ms;
  for (const MessageRow& row : change.batch.messages) {
    if (row.message.role != Role::kAssistant || operations_in_answer(row.message.content).empty()) continue;
    const auto scope = story_scope(core_.config, request);
    if (!scope.ok()) return;
    const Value payload(ValueObject{{"scope", scope->own.str()},
                                    {"world", scope->world.str()},
                                    {"session", session.str()},
                                    {"message_ids", ValueList{row.message.id.str()}}});
    Job job = new_job(job_of(scope->own, session, row.message.id), scope->own, kStateKind, to_json(payload), now_ms);
    job.not_before_ms = now_ms + kPatienceMs;
    change.batch.jobs.push_back(std::move(job));
  }
}

void States::apply_answers(const RequestContext& request, const SessionId& session, std::span<const Message> messages,
                           std::span<Observation> observed) {
  for (std::size_t i = 0; i < messages.size() && i < observed.size(); ++i) {
    const Message& message = messages[i];
    if (message.role != Role::kAssistant || operations_in_answer(message.content).empty()) continue;
    const auto scope = story_scope(core_.config, request);
    if (!scope.ok()) return;
    const JobId job = job_of(scope->own, session, observed[i].id);
    // Of a message that is sent again, only what was broken off before.
    const auto waits = core_.store->jobs().contains(job);
    if (!waits.ok() || !*waits) continue;
    kill_point(FaultPoint::kAnswersWait);
    const auto refused = apply_answer(*scope, session, message, observed[i].id, job);
    if (!refused.ok()) {
      log_warning("state.answer", refused.error().message);
      continue;
    }
    observed[i].notes.push_back(refused->empty() ? "state changed" : "state not changed: " + *refused);
  }
}

Status States::work_off_answer(const Job& job) {
  WEFT_TRY(const auto payload, parse_value(job.payload, {.max_bytes = job.payload.size() + 1}, "its payload"));
  const auto text = [&](const char* name) {
    const Value* value = payload.find(name);
    return value != nullptr && value->text() != nullptr ? *value->text() : std::string();
  };
  const Value* ids = payload.find("message_ids");
  const ValueList* list = ids == nullptr ? nullptr : ids->list();
  if (list == nullptr || list->size() != 1 || list->front().text() == nullptr)
    return corrupt("job " + job.id.str() + " names no message");
  const StoryScope scope{ScopeKey(text("scope")), ScopeKey(text("world"))};
  const SessionId session(text("session"));
  const MessageId id(*list->front().text());
  const auto pass = core_.erasure_gate.work(scope.own);
  WEFT_TRY(const auto row, core_.store->messages().get(scope.own, session, id));
  if (!row) return {};
  const auto applied = apply_answer(scope, session, row->message, id, job.id);
  return applied.ok() ? Status() : Status(applied.error());
}

// Told as long as the refused answer is the last one of the history.
Result<std::string> States::refused_answer(const ScopeKey& scope, const SessionId& session, const ContextInput& input) {
  const Message* last = nullptr;
  for (const HistoryMessage& entry : input.history)
    if (entry.message.role == Role::kAssistant) last = &entry.message;
  if (last == nullptr) return std::string();
  WEFT_TRY(const auto row, core_.store->documents().newest(scope, kRefusals, session.str()));
  if (!row) return std::string();
  WEFT_TRY(const auto body, parse_value(row->body, {.max_bytes = row->body.size() + 1}, "state refusal"));
  const Value* digest = body.find("digest");
  const Value* reason = body.find("reason");
  if (digest == nullptr || reason == nullptr || digest->text() == nullptr || reason->text() == nullptr ||
      reason->text()->empty() || *digest->text() != std::to_string(digest_of(*last)))
    return std::string();
  return language_of(last->content) == Language::kChinese
             ? "上一个回答里对状态的改动整体没有生效：" + *reason->text()
             : "The changes of the state in your last answer were refused as a whole: " + *reason->text();
}

}  // namespace weft
