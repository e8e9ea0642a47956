#include "engine/engine_core.h"

#include <algorithm>

#include "engine/serving.h"
#include "flow/historian/queued_jobs.h"
#include "flow/stream/session_state.h"
#include "growth/growth_files.h"
#include "model/rows.h"
#include "text/scope_patterns.h"

namespace weft {

Result<RequestContext> request_of_scope(const ScopeKey& key) {
  const ScopeParts parts = parts_of_scope(key);
  WEFT_TRY(const Scope scope, parts.group.empty() ? Scope::of_user(parts.user) : Scope::of_group(parts.group));
  return RequestContext{scope, {}, {}};
}

std::string speaker_of(const RequestContext& request) {
  return request.scope.user().empty() ? request.scope.key().str() : request.scope.user().str();
}

Result<std::string> owner_for(const RequestContext& request, const std::string& owner, std::string_view what) {
  const std::string own = request.scope.key().str();
  if (owner.empty() || owner == own) return own;
  if (owner == kWorkspaceOwner) return owner;
  return permission(std::string(what) + ": its owner is \"" + owner + "\", the caller \"" + own + "\"",
                    "call it for that scope");
}

HistorianPorts EngineCore::historian_ports() {
  const auto blocks_of = [this](const TopicRow& topic) -> Result<std::vector<LogicalBlock>> {
    WEFT_TRY(const Members members, Members::read(*store, topic.scope));
    WEFT_TRY(auto blocks, load_topic_blocks(*store, topic));
    for (LogicalBlock& block : blocks)
      if (block.user_block) members.label(*block.user_block);
    return blocks;
  };
  return {config, *store, blocks_of, metrics};
}

void EngineCore::forget(const ScopeKey& scope) {
  facts->forget(scope);
  tasks->forget();
  story.forget(scope);
  described_tools.lock()->clear();
  prompts.clear();
  feed->forget(scope);
  if (Embedder* embedder = change->serving()->embedder()) embedder->clear_cache();
}

bool EngineCore::remembers(const ScopeKey& scope) const {
  return config.cognitive.enabled && is_meant(config.cognitive.scopes, scope.str());
}

std::int64_t EngineCore::window_of(std::int64_t asked, const std::string& model) const {
  if (asked > 0) return asked;
  const ChatModel* main = models->chat("main");
  const bool is_main = main != nullptr && (model.empty() || model == main->name());
  if (is_main && main->window() > 0) return main->window();
  const ModelTraits known = catalogue.of(is_main ? main->name() : model);
  if (known.window > 0) return known.window;
  const bool main_answers = main != nullptr && main->window() > 0 && config.proxy.upstream.empty();
  return main_answers ? main->window() : config.context.window;
}

std::unique_ptr<Likeness> EngineCore::likeness() const {
  constexpr std::chrono::seconds kLimit{10};
  return std::make_unique<ServingLikeness>(*this, kLimit);
}

void EngineCore::jobs_came() {
  historians.wake();
  job_mirror.wake();
}

Status EngineCore::keep_written(WriteBatch& batch) {
  const auto take_kept_numbers = [&]() -> Status {
    for (ItemRow& item : batch.items) {
      WEFT_TRY(const auto found, store->items().rows_of(item.scope, std::span(&item.item.id, 1)));
      if (found.front() != 0) item.row = found.front();
    }
    return {};
  };
  WEFT_CHECK(take_kept_numbers());
  WEFT_CHECK(number(batch.items));
  {
    const auto pass = change->gate().enter();
    WEFT_CHECK(store->write(batch));
    // Another program may have given the same item a number first.
    if (store->is_shared()) WEFT_CHECK(take_kept_numbers());
    change->serving()->memory.added(batch.items);
  }
  // A fact that another one takes the place of must not stand in a prompt any longer.
  for (const ItemRow& row : batch.items)
    if (row.item.event && !row.item.event->supersedes.empty()) prompts.forget_memories(prompt_key(row.scope, {}));
  if (!batch.items.empty()) indexer.wake();
  return {};
}

Status EngineCore::number(std::vector<ItemRow>& items) {
  const auto is_new = [](const ItemRow& item) { return item.row == 0; };
  const auto wanted = static_cast<std::size_t>(std::count_if(items.begin(), items.end(), is_new));
  if (wanted == 0) return {};
  WEFT_TRY(const auto numbers, store->take_numbers(RowKind::kItem, wanted));
  auto next = numbers.begin();
  for (ItemRow& item : items)
    if (is_new(item)) item.row = *next++;
  return {};
}

std::string prompt_key(const ScopeKey& scope, const SessionId& session) {
  return std::to_string(scope.str().size()) + ":" + scope.str() + session.str();
}

}  // namespace weft
