#include "tests/support/fake_engine.h"

#include <algorithm>

namespace weft {
namespace {

bool same(const Message& a, const Message& b) {
  return a.role == b.role && a.content == b.content && a.tool_calls.size() == b.tool_calls.size();
}

Item item_of(const StoredMessage& stored) {
  Item item;
  item.id = ItemId("i" + std::to_string(stored.sequence));
  item.session = stored.session;
  item.text = stored.message.content;
  item.time = stored.message.time.value_or(Time{});
  item.position = stored.sequence;
  item.sources = {stored.message.id};
  return item;
}

}  // namespace

Status FakeEngine::broken() const { return failure_ ? Status(*failure_) : Status(); }

Result<ObserveReport> FakeEngine::observe(const RequestContext& request, const SessionId& session,
                                          std::span<const Message> messages) {
  if (before_observe) before_observe();
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(broken());
  ObserveReport report;
  for (auto message : messages) {
    ++sequence_;
    if (message.id.empty()) message.id = MessageId("m" + std::to_string(sequence_));
    if (!message.time) message.time = message_time;
    report.observations.push_back({message.id, "observed", BlockId("b1"), std::nullopt, {}});
    if (request.await_decisions) report.observations.back().decision.emplace();
    kept_[key(request.scope, session)].push_back({message, session, sequence_, true, 1});
  }
  changed_.notify_all();
  return report;
}

Result<SyncReport> FakeEngine::sync(const RequestContext& request, const SessionId& session,
                                    std::span<const Message> history) {
  SyncReport report;
  {
    const std::lock_guard lock(mutex_);
    WEFT_CHECK(broken());
    auto& kept = kept_[key(request.scope, session)];
    while (report.known < kept.size() && report.known < history.size() &&
           same(kept[report.known].message, history[report.known])) {
      ++report.known;
    }
    report.abandoned = kept.size() - report.known;
    kept.resize(report.known);
  }
  report.added = history.size() - report.known;
  WEFT_TRY(report.observed, observe(request, session, history.subspan(report.known)));
  return report;
}

// A conversation goes on where all that is kept of it stands at the history's beginning; where only its newest answer
// is missing there, another one is asked for. An opening alone asks for nothing again.
Result<SessionId> FakeEngine::conversation_of(const RequestContext& request, std::span<const Message> history,
                                              std::span<const SessionId> busy) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(broken());
  std::vector<Message> spoken;
  for (const auto& message : history)
    if (message.role != Role::kSystem) spoken.push_back(message);
  for (int number = 1;; ++number) {
    const SessionId id("chat-" + std::to_string(number));
    if (std::find(busy.begin(), busy.end(), id) != busy.end()) continue;
    std::vector<Message> kept;
    for (const auto& stored : kept_[key(request.scope, id)])
      if (stored.message.role != Role::kSystem) kept.push_back(stored.message);
    if (spoken.size() > 1 && kept.size() == spoken.size() + 1 && kept.back().role == Role::kAssistant) kept.pop_back();
    if (kept.size() <= spoken.size() && std::equal(kept.begin(), kept.end(), spoken.begin(), same)) return id;
  }
}

ModelTraits FakeEngine::model_traits(const std::string& model) {
  const std::lock_guard lock(mutex_);
  const auto& known = lessons_[model];
  return {known.most_window > 0 ? known.most_window : known.window,
          known.output,
          {},
          known.system_messages == SystemMessages::kUnknown ? system_messages : known.system_messages};
}

void FakeEngine::learn_model(const std::string& model, const ModelLesson& lesson) {
  const std::lock_guard lock(mutex_);
  lessons_[model] = lesson;
}

Result<ObserveReport> FakeEngine::save(const RequestContext& request, const SessionId& session) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(broken());
  ++saves_;
  ObserveReport report;
  const auto count = kept_[key(request.scope, session)].size();
  if (count > 0) report.flushed.push_back({TopicId("t1"), FlushReason::kSave, JobId("j1"), (count + 1) / 2, 40});
  return report;
}

Result<WovenContext> FakeEngine::context(const RequestContext& request, const SessionId& session,
                                         const ContextRequest& what) {
  {
    const std::lock_guard lock(mutex_);
    asked.push_back(what);
  }
  const auto query = what.input.empty() && !what.history.empty() ? what.history.back().content : what.input;
  SearchRequest search_request;
  search_request.query = query.substr(0, query.find(' '));
  search_request.not_session = session;
  WEFT_TRY(const auto found, search(request, search_request));
  WovenContext out;
  const auto add_system = [&](std::string text) {
    Message message;
    message.role = Role::kSystem;
    message.content = std::move(text);
    out.messages.push_back(std::move(message));
  };
  if (!what.system.empty()) add_system(what.system);
  for (const auto& message : what.history) {
    if (&message == &what.history.back() && !found.hits.empty()) {
      std::string memories;
      for (const auto& hit : found.hits) memories += "- " + hit.item.text + "\n";
      add_system("<memory>\n" + memories + "</memory>");
    }
    out.messages.push_back(message);
  }
  out.report.tokens = static_cast<std::int64_t>(out.messages.size());
  out.report.by = MadeBy::kFloor;
  out.report.window = what.window > 0 ? what.window : 32768;
  return out;
}

Result<SearchResult> FakeEngine::search(const RequestContext& request, const SearchRequest& what) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(broken());
  SearchResult out;
  out.by = MadeBy::kFloor;
  out.recipe = what.recipe.empty() ? "fake" : what.recipe;
  for (const auto& [place, kept] : kept_) {
    if (!place.starts_with(request.scope.key().str() + "/")) continue;
    for (const auto& stored : kept) {
      if (what.not_session && stored.session == *what.not_session) continue;
      if (stored.message.content.find(what.query) == std::string::npos || out.hits.size() == what.top_k) continue;
      out.hits.push_back({item_of(stored), 1.0, 1.0, {{"words", 1, 1}}});
    }
  }
  return out;
}

Result<std::vector<StoredMessage>> FakeEngine::originals(const RequestContext&, std::span<const MessageId>) {
  return std::vector<StoredMessage>{};
}

Result<std::vector<StoredMessage>> FakeEngine::branch_to(const RequestContext& request, const MessageId& id) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(broken());
  for (const auto& [name, kept] : kept_) {
    if (!name.starts_with(request.scope.key().str())) continue;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i].message.id == id)
        return std::vector<StoredMessage>(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return std::vector<StoredMessage>{};
}

Result<std::vector<StoredMessage>> FakeEngine::history(const RequestContext& request, const SessionId& session,
                                                       std::size_t limit, std::int64_t before) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(broken());
  auto kept = kept_[key(request.scope, session)];
  if (before > 0) std::erase_if(kept, [&](const StoredMessage& one) { return one.sequence >= before; });
  kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(std::min(limit, kept.size())));
  return kept;
}

Result<std::vector<Item>> FakeEngine::items(const RequestContext& request, ItemKind kind, std::size_t limit) {
  WEFT_TRY(auto page, items(request, {.kinds = {kind}, .limit = limit}));
  return std::move(page.items);
}

// The place of an item is its message's number.
Result<ItemsPage> FakeEngine::items(const RequestContext& request, const ItemsWanted& what) {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(broken());
  ItemsPage page;
  if (std::find(what.kinds.begin(), what.kinds.end(), ItemKind::kMessage) == what.kinds.end()) return page;
  std::map<std::int64_t, Item> all;
  for (const auto& [place, kept] : kept_)
    if (place.starts_with(request.scope.key().str() + "/"))
      for (const auto& stored : kept) all.emplace(stored.sequence, item_of(stored));
  std::int64_t last = 0;
  for (auto& [number, item] : all) {
    if (number <= what.after) continue;
    if (page.items.size() == what.limit) page.next = last;
    if (page.items.size() < what.limit) page.items.push_back(std::move(item)), last = number;
  }
  return page;
}

Result<std::vector<JobInfo>> FakeEngine::jobs() {
  const std::lock_guard lock(mutex_);
  WEFT_CHECK(broken());
  return std::vector<JobInfo>{{JobId("j1"), "topic", "failed", 5, "disk full", "2026-03-01T00:00:00Z", "{}"}};
}

Status FakeEngine::retry(const JobId& job) {
  if (job.str() != "j1") return not_found("no job " + job.str());
  return {};
}

EngineStatus FakeEngine::status() {
  EngineStatus out;
  out.embedder = "fake";
  out.embedder_state = "loading";
  out.chat = "none";
  out.token_mode = "script";
  out.queue.failed = 1;
  const std::lock_guard lock(mutex_);
  if (failure_) out.problems.push_back({"store", true, failure_->message, failure_->hint});
  return out;
}

void FakeEngine::fail_with(std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(error);
}

std::vector<Message> FakeEngine::messages(const Scope& scope, const std::string& session) const {
  const std::lock_guard lock(mutex_);
  std::vector<Message> out;
  const auto found = kept_.find(key(scope, SessionId(session)));
  if (found == kept_.end()) return out;
  for (const auto& stored : found->second) out.push_back(stored.message);
  return out;
}

std::vector<std::string> FakeEngine::said(const Scope& scope, const std::string& session) const {
  std::vector<std::string> out;
  for (const auto& message : messages(scope, session))
    out.push_back(std::string(to_string(message.role)) + ": " + message.content);
  return out;
}

std::vector<std::string> FakeEngine::sessions() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [place, kept] : kept_) {
    if (!kept.empty()) out.push_back(place);
  }
  return out;
}

bool FakeEngine::wait_for_messages(const Scope& scope, const std::string& session, std::size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(10), [&] {
    const auto found = kept_.find(key(scope, SessionId(session)));
    return found != kept_.end() && found->second.size() >= count;
  });
}

}  // namespace weft
