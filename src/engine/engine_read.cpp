#include <algorithm>

#include "engine/engine_impl.h"
#include "flow/context/build_context.h"
#include "flow/recall/recall.h"
#include "flow/recall/validity.h"
#include "flow/stream/branch.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::chrono::milliseconds kQueryPatience{2000};  // for the vector of a query, before words are searched alone
constexpr std::size_t kMostHits = 1000;
constexpr std::size_t kMostSummaries = 64;

StoredMessage stored(MessageRow row) {
  return {std::move(row.message), std::move(row.session), row.seq, row.active, row.tokens};
}

Deadline deadline_of(const RequestContext& request) { return Deadline(request.deadline, request.cancel); }

// The prompt as one text, for measuring how much of it is as it was last time.
std::string flat(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) {
    text += std::string(to_string(message.role)) + "\n" + message.content + "\n";
    for (const ToolCall& call : message.tool_calls) text += call.name + call.arguments + "\n";
  }
  return text;
}

std::uint64_t last_user_digest(const std::vector<HistoryMessage>& history) {
  const auto last = std::find_if(history.rbegin(), history.rend(),
                                 [](const HistoryMessage& entry) { return entry.message.role == Role::kUser; });
  return last == history.rend() ? 0 : digest_of(last->message);
}

}  // namespace

Result<SearchResult> EngineImpl::search(const RequestContext& request, const SearchRequest& what) {
  if (what.top_k == 0 || what.top_k > kMostHits) {
    return invalid_argument("search: top_k is " + std::to_string(what.top_k) + "; it goes from 1 to " +
                            std::to_string(kMostHits));
  }
  if (what.from && what.to && *what.to < *what.from) return invalid_argument("search: \"to\" lies before \"from\"");
  return search_scope(request.scope.key(), what, deadline_of(request));
}

// Where another embedder began to serve meanwhile, its index may have been met with the former one's query.
Result<SearchResult> EngineImpl::search_scope(const std::string& scope, const SearchRequest& what,
                                              const Deadline& deadline) {
  for (;;) {
    const auto serving = change_->serving();
    auto result = search_with(*serving, scope, what, deadline);
    if (change_->is_serving(*serving)) return result;
  }
}

Result<SearchResult> EngineImpl::search_with(Serving& serving, const std::string& scope, const SearchRequest& what,
                                             const Deadline& deadline) {
  SearchResult result;
  result.recipe = what.recipe.empty() ? config_.recall.recipe : what.recipe;
  WEFT_TRY(const Recipe recipe, find_recipe(result.recipe, config_.recall));
  Stopwatch clock;
  RecallQuery query;
  query.text = std::string(cut_bytes(what.query, static_cast<std::size_t>(config_.limits.max_query_bytes)));
  query.top_k = what.top_k;
  query.kinds = what.kinds;
  query.from = what.from;
  query.to = what.to;
  // What came later was not known then. What had ceased to hold is left out afterwards, so more is looked at.
  if (what.as_of && (!query.to || *what.as_of < *query.to)) query.to = what.as_of;
  if (what.as_of) query.top_k = std::min(kMostHits, what.top_k * 2 + 8);
  query.session = what.session;
  query.not_session = what.not_session;
  query.now = clock_->now();
  WEFT_TRY(const auto index, serving.memory.index_of(scope));
  if (serving.embedder() != nullptr && recipe.uses_vectors()) {
    const std::string asked = text_to_embed(query.text, index->speakers());
    query.vector = serving.embedder()->embed(asked, EmbedUse::kQuery, deadline.within(kQueryPatience)).value_or({});
  }
  result.embed_ms = clock.ms();
  clock.restart();
  WEFT_TRY(const auto rows, recall(*index, query, recipe));
  std::vector<std::int64_t> ids;
  for (const ScoredRow& row : rows) ids.push_back(row.row);
  WEFT_TRY(auto items, store_->items(scope, ids));
  std::size_t next = 0;
  for (const ScoredRow& row : rows) {
    if (next >= items.size() || items[next].row != row.row) continue;
    Hit hit;
    hit.item = std::move(items[next++].item);
    if (what.as_of && !held_at(hit.item, *what.as_of)) continue;
    hit.score = row.score;
    hit.relevance = row.relevance;
    result.known = result.known || row.relevance >= config_.recall.known_threshold;
    hit.signals = row.signals;
    result.hits.push_back(std::move(hit));
  }
  put_current_first(result.hits);
  if (result.hits.size() > what.top_k) result.hits.resize(what.top_k);
  result.by = query.vector.empty() ? "floor" : "model";
  result.search_ms = clock.ms();
  return result;
}

Result<ContextInput> EngineImpl::context_input(const RequestContext& request, const SessionId& session,
                                               const ContextRequest& what) {
  ContextInput input;
  input.session = session;
  input.window = what.window;
  if (input.window <= 0) {
    const ChatModel* main = models_->chat("main");
    input.window = main != nullptr && main->window() > 0 ? main->window() : config_.context.window;
  }
  const auto add_system = [&input](std::string text) {
    Message message;
    message.role = Role::kSystem;
    message.content = std::move(text);
    input.system.push_back(std::move(message));
  };
  if (!what.system.empty()) add_system(what.system);
  if (what.history.empty()) {
    const std::string scope = request.scope.key();
    WEFT_TRY(auto recent, store_->recent(scope, session, static_cast<std::size_t>(config_.context.recent_turns) * 8));
    for (MessageRow& row : recent) {
      if (row.message.role != Role::kSystem) input.history.push_back({std::move(row.message), row.seq});
    }
    if (what.system.empty()) {
      WEFT_TRY(const auto known, store_->session(scope, session));
      if (known && !known->system.empty()) add_system(known->system);
    }
  } else {
    WEFT_TRY(auto held, sessions_->hold(request.scope.key(), session));
    std::vector<std::uint64_t> digests;
    for (const Message& message : what.history) {
      if (message.role != Role::kSystem) digests.push_back(digest_of(message));
    }
    const Alignment alignment = align_history(held->path, digests);
    std::size_t place = 0;
    for (const Message& message : what.history) {
      if (message.role == Role::kSystem) {
        input.system.push_back(message);
        continue;
      }
      const std::int64_t seq = place < alignment.known ? held->path[alignment.offset + place].seq : 0;
      input.history.push_back({message, seq});
      ++place;
    }
  }
  // Trimming must not begin in the middle of a turn, where a tool's output would stand without its call.
  const auto first_user = std::find_if(input.history.begin(), input.history.end(),
                                       [](const HistoryMessage& entry) { return entry.message.role == Role::kUser; });
  if (what.history.empty()) input.history.erase(input.history.begin(), first_user);
  if (!what.input.empty()) {
    Message message;
    message.role = Role::kUser;
    message.content = what.input;
    input.history.push_back({std::move(message), 0});
  }
  return input;
}

std::vector<std::string> EngineImpl::summaries_before(const std::string& scope, const SessionId& session,
                                                      std::int64_t seq) {
  std::vector<std::string> texts;
  const auto items = store_->items_of_kind(scope, ItemKind::kNarrative, 100'000);
  if (!items.ok()) return texts;
  for (const ItemRow& item : *items) {
    if (item.active && item.item.session == session && item.item.position < seq) texts.push_back(item.item.text);
  }
  if (texts.size() > kMostSummaries) texts.erase(texts.begin(), texts.end() - kMostSummaries);
  return texts;
}

std::string EngineImpl::prompt_key(const std::string& scope, const SessionId& session) {
  return std::to_string(scope.size()) + ":" + scope + session.str();
}

// The mode without cognitive memory: ends of turns as they were said, of this scope alone.
Result<std::vector<std::string>> EngineImpl::old_summaries(const RequestContext& request) {
  WEFT_TRY(const auto summaries, end_summaries_->recent(request.scope.user().str(), request.scope.group().str(),
                                                        static_cast<std::size_t>(config_.cognitive.old_summaries)));
  std::vector<std::string> texts;
  for (const EndSummary& one : summaries) texts.push_back("[" + format_time(one.time) + "] " + one.summary);
  return texts;
}

Result<WovenContext> EngineImpl::context(const RequestContext& request, const SessionId& session,
                                         const ContextRequest& what) {
  WEFT_CHECK(check_id(session.str(), "session id"));
  const std::string scope = request.scope.key();
  WEFT_TRY(auto input, context_input(request, session, what));
  if (config_.cognitive.enabled) {
    input.profiles = profiles_for(request);
  } else {
    WEFT_TRY(input.old_summaries, old_summaries(request));
  }
  const std::string prompt_key = EngineImpl::prompt_key(scope, session);
  const std::uint64_t user_message = last_user_digest(input.history);
  // While a user message is worked on with tools, the memories before it stay as they were.
  const bool at_work = !input.history.empty() && input.history.back().message.role != Role::kUser;
  if (auto kept = at_work ? prompts_.memory_for(prompt_key, user_message) : std::nullopt) {
    input.kept_memory = std::move(*kept);
    input.has_kept_memory = true;
  }
  const ContextPorts ports{config_, models_->tokens(),
                           [&](const SearchRequest& search, const Deadline& deadline) -> Result<SearchResult> {
                             if (!config_.cognitive.enabled) return SearchResult{};
                             return search_scope(scope, search, deadline);
                           },
                           [&](std::int64_t seq) { return summaries_before(scope, session, seq); }};
  const Deadline deadline = deadline_of(request).within(std::chrono::milliseconds(config_.context.deadline_ms));
  WEFT_TRY(auto built, build_context(ports, deadline, input));
  std::string prompt = flat(built.woven.messages);
  built.woven.report.prompt_bytes = static_cast<std::int64_t>(prompt.size());
  built.woven.report.prefix_equal_bytes =
      prompts_.note(prompt_key, user_message, std::move(built.memory), std::move(prompt));
  return std::move(built.woven);
}

Result<std::vector<StoredMessage>> EngineImpl::originals(const RequestContext& request,
                                                         std::span<const MessageId> ids) {
  WEFT_TRY(auto rows, store_->messages(request.scope.key(), ids));
  std::vector<StoredMessage> messages;
  for (MessageRow& row : rows) messages.push_back(stored(std::move(row)));
  return messages;
}

Result<std::vector<StoredMessage>> EngineImpl::history(const RequestContext& request, const SessionId& session,
                                                       std::size_t limit) {
  WEFT_TRY(auto rows, store_->recent(request.scope.key(), session, limit));
  std::vector<StoredMessage> messages;
  for (MessageRow& row : rows) messages.push_back(stored(std::move(row)));
  return messages;
}

Result<std::vector<Item>> EngineImpl::items(const RequestContext& request, ItemKind kind, std::size_t limit) {
  WEFT_TRY(auto rows, store_->items_of_kind(request.scope.key(), kind, limit));
  std::vector<Item> items;
  for (ItemRow& row : rows) {
    if (row.active) items.push_back(std::move(row.item));
  }
  return items;
}

Result<std::vector<JobInfo>> EngineImpl::jobs() {
  std::vector<JobInfo> jobs;
  for (auto& [state, job] : queue_->list()) {
    jobs.push_back({job.id, job.kind, std::string(to_string(state)), job.attempts, job.reason,
                    format_time({job.created_ms, 0}), job.payload});
  }
  return jobs;
}

EngineStatus EngineImpl::status() {
  EngineStatus status;
  const auto serving = change_->serving();
  status.embedder = serving->embedder() != nullptr ? serving->model.name : "none";
  status.embedder_state = serving->model.state();
  if (auto next = change_->progress(); !next.model.empty()) {
    status.next_embedder = std::move(next.model);
    status.next_embedder_state = std::move(next.state);
    status.next_done = next.items.done;
    status.next_all = next.items.all;
  }
  status.chat = models_->chat_name();
  status.token_mode = to_string(models_->tokens().mode());
  const auto jobs = queue_->counts();
  status.queue = {jobs.pending, jobs.processing, jobs.failed, jobs.done};
  if (const auto counts = store_->counts(); counts.ok()) {
    status.messages = counts->messages;
    status.items = counts->items;
    status.unembedded = counts->unembedded;
  }
  return status;
}

}  // namespace weft
