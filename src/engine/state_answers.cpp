// What a model writes into its answer to change the state: each block once, as a whole or not at all, and where it is
// refused the next prompt of the session says why.
#include "base/log.h"
#include "engine/engine_core.h"
#include "engine/states.h"
#include "flow/memory/state_answer.h"
#include "flow/stream/branch.h"
#include "text/value.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr const char* kRefusals = "state_refusal";  // by session

}  // namespace

// The reason, where a block was refused; empty else.
std::string States::apply_answer(const StoryScope& scope, const SessionId& session, const Message& message,
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

// Only of assistants; `observed` says which messages are new, and is told what became of their blocks.
void States::apply_answers(const RequestContext& request, const SessionId& session, std::span<const Message> messages,
                           std::span<Observation> observed) {
  for (std::size_t i = 0; i < messages.size() && i < observed.size(); ++i) {
    const Message& message = messages[i];
    if (message.role != Role::kAssistant || observed[i].action == "duplicate") continue;
    if (operations_in_answer(message.content).empty()) continue;
    const auto scope = story_scope(core_.config, request);
    if (!scope.ok()) return;
    const std::string refused = apply_answer(*scope, session, message, observed[i].id);
    observed[i].notes.push_back(refused.empty() ? "state changed" : "state not changed: " + refused);
    const auto before = core_.store->documents().newest(scope->own, kRefusals, session.str());
    if (!before.ok() || (!*before && refused.empty())) continue;
    const Value body(ValueObject{{"digest", std::to_string(digest_of(message))}, {"reason", refused}});
    WriteBatch batch;
    batch.documents.push_back({scope->own, kRefusals, session.str(), *before ? (*before)->version + 1 : 1,
                               core_.clock->now(), "model", to_json(body)});
    if (const Status kept = core_.store->write(batch); !kept.ok()) log_warning("state.answer", kept.error().message);
  }
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
