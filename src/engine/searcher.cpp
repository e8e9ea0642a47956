#include "engine/searcher.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>

#include "engine/engine_core.h"

#include "flow/historian/queued_jobs.h"
#include "flow/recall/corrections.h"
#include "flow/recall/recall.h"
#include "model/rows.h"
#include "ports/embedding/embedder.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::chrono::milliseconds kQueryPatience{2000};  // for the vector of a query, before words are searched alone
constexpr std::size_t kMostHits = 1000;
constexpr std::size_t kMostFiltered = 100'000;  // ranked events that a filter looks through
constexpr std::size_t kPage = 500;

StoredMessage stored(MessageRow row) {
  return {std::move(row.message), std::move(row.session), row.seq, row.active, row.tokens};
}

Item spoken(ItemRow row) {
  // What a tool said stays a tool's, whatever name it came under.
  if (row.item.kind == ItemKind::kMessage)
    row.item.who =
        row.speaker.empty() || row.role == Role::kTool ? std::string(to_string(row.role)) : std::move(row.speaker);
  return std::move(row.item);
}

/// Items by their row, each read once.
Result<std::map<std::int64_t, Item>> items_of(Store& store, const ScopeKey& scope, std::vector<std::int64_t> rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::erase(rows, 0);
  std::map<std::int64_t, Item> items;
  if (rows.empty()) return items;
  WEFT_TRY(auto found, store.items().get(scope, rows));
  for (ItemRow& row : found) {
    const std::int64_t number = row.row;
    if (row.active) items.emplace(number, spoken(std::move(row)));
  }
  return items;
}

Deadline deadline_of(const RequestContext& request) { return Deadline(request.deadline, request.cancel); }

}  // namespace

Result<SearchResult> Searcher::search(const RequestContext& request, const SearchRequest& what) {
  const Timed timed(core_.metrics.search_time);
  if (what.top_k == 0 || what.top_k > kMostHits) {
    return invalid_argument("search: top_k is " + std::to_string(what.top_k) + "; it goes from 1 to " +
                            std::to_string(kMostHits));
  }
  if (what.from && what.to && *what.to < *what.from) return invalid_argument("search: \"to\" lies before \"from\"");
  knowledge_.refresh(request.scope.key());
  auto result = search_scope(request.scope.key(), what, deadline_of(request));
  // Where hits are told, they are told with a warning.
  if (result.ok())
    core_.metrics.suspect_memories += static_cast<std::uint64_t>(
        std::count_if(result->hits.begin(), result->hits.end(), [](const Hit& hit) { return is_suspect(hit.item); }));
  return result;
}

// Where another embedder began to serve meanwhile, its index may have been met with the former one's query.
Result<SearchResult> Searcher::search_scope(const ScopeKey& scope, const SearchRequest& what,
                                            const Deadline& deadline) {
  TraceSpan span("weft.search");
  for (;;) {
    const auto serving = core_.change->serving();
    auto result = search_with(*serving, scope, what, deadline);
    if (!core_.change->is_serving(*serving)) continue;
    if (result.ok()) span.set("weft.hits", static_cast<std::int64_t>(result->hits.size()));
    if (!result.ok()) span.fail(to_string(result.error().code));
    return result;
  }
}

Result<SearchResult> Searcher::search_with(Serving& serving, const ScopeKey& scope, const SearchRequest& what,
                                           const Deadline& deadline) {
  SearchResult result;
  result.recipe = what.recipe.empty() ? std::string(to_string(core_.config.recall.recipe)) : what.recipe;
  WEFT_TRY(const Recipe recipe, find_recipe(result.recipe, core_.config.recall));
  Stopwatch clock;
  RecallQuery query;
  query.text = std::string(cut_bytes(what.query, static_cast<std::size_t>(core_.config.limits.max_query_bytes)));
  query.top_k = what.top_k;
  query.kinds = what.kinds;
  query.from = what.from;
  query.to = what.to;
  // What came later was not known then. What had ceased to hold is left out afterwards, so more is looked at.
  if (what.as_of && (!query.to || *what.as_of < *query.to)) query.to = what.as_of;
  if (what.as_of) query.top_k = std::min(kMostHits, what.top_k * 2 + 8);
  if (!what.events.empty()) {
    query.kinds = {ItemKind::kEvent};
    query.top_k = kMostFiltered;
  }
  query.around = what.around;
  query.session = what.session;
  query.not_session = what.not_session;
  query.now = what.asked ? *what.asked : what.as_of.value_or(core_.clock->now());
  WEFT_TRY(const auto index, serving.memory.index_of(scope));
  if (serving.embedder() != nullptr && recipe.uses_vectors()) {
    const std::string asked = text_to_embed(query.text, index->speakers());
    query.vector =
        traced_embed(*serving.embedder(), asked, EmbedUse::kQuery, deadline.within(kQueryPatience)).value_or({});
  }
  result.embed_ms = clock.ms();
  clock.restart();
  const auto question = questions_.read(query);
  WEFT_TRY(auto rows, recall(*index, query, *question, recipe));
  WEFT_TRY(const Members members, Members::read(*core_.store, scope));
  std::vector<ItemRow> items;
  std::vector<Place> places;
  std::size_t next = 0, read = 0;
  for (std::size_t place = 0; place < rows.size(); ++place) {
    ScoredRow& row = rows[place];
    if (place == read) {
      // What is filtered may be many rows for few hits, so they are read a page at a time.
      if (result.hits.size() >= what.top_k) break;
      const std::size_t end = what.events.empty() ? rows.size() : std::min(rows.size(), read + kPage);
      std::vector<std::int64_t> ids;
      for (; read < end; ++read) ids.push_back(rows[read].row);
      WEFT_TRY(items, core_.store->items().get(scope, ids));
      next = 0;
    }
    if (next >= items.size() || items[next].row != row.row) continue;
    Hit hit;
    hit.item = spoken(std::move(items[next++]));
    members.tell_apart(hit.item);
    if (what.as_of && !held_at(hit.item, *what.as_of)) continue;
    if (!what.events.passes(hit.item)) continue;
    hit.item.over = core_.facts->over(scope, hit.item);
    hit.score = row.score;
    hit.relevance = row.relevance;
    result.known = result.known || row.relevance >= core_.config.recall.known_threshold;
    hit.signals = std::move(row.signals);
    result.hits.push_back(std::move(hit));
    places.push_back({row.row, std::move(row.before), std::move(row.after)});
  }
  if (what.around > 0) WEFT_CHECK(add_surroundings(scope, members, places, result.hits));
  put_current_first(result.hits, *question);
  if (recipe.method == Recipe::Method::kFused) put_empty_last(result.hits, *question);
  if (result.hits.size() > what.top_k) result.hits.resize(what.top_k);
  result.by = query.vector.empty() ? MadeBy::kFloor : MadeBy::kModel;
  result.search_ms = clock.ms();
  return result;
}

// Reads the messages beside each hit, and the facts that replaced what it says. Many of them are hits themselves.
Status Searcher::add_surroundings(const ScopeKey& scope, const Members& members, std::span<const Place> places,
                                  std::vector<Hit>& hits) {
  std::vector<ItemId> ids;
  std::vector<std::int64_t> rows;
  for (const Hit& hit : hits)
    for (const OverPart& part : hit.item.over)
      if (!part.newer.empty()) ids.push_back(part.newer);
  std::map<std::string, std::int64_t> row_of;
  if (!ids.empty()) {
    WEFT_TRY(const auto found, core_.store->items().rows_of(scope, ids));
    for (std::size_t i = 0; i < ids.size(); ++i) row_of[ids[i].str()] = found[i];
    rows = found;
  }
  std::unordered_map<std::int64_t, const Item*> items;
  for (std::size_t i = 0; i < hits.size(); ++i) items.emplace(places[i].row, &hits[i].item);
  for (const Place& one : places) {
    rows.insert(rows.end(), one.before.begin(), one.before.end());
    rows.insert(rows.end(), one.after.begin(), one.after.end());
  }
  std::erase_if(rows, [&](std::int64_t row) { return items.contains(row); });
  WEFT_TRY(auto beside, items_of(*core_.store, scope, std::move(rows)));
  for (auto& [row, item] : beside) {
    members.tell_apart(item);
    item.over = core_.facts->over(scope, item);
    items.emplace(row, &item);
  }
  const auto add = [&](std::int64_t row, std::vector<Item>& to) {
    if (const auto at = items.find(row); at != items.end()) to.push_back(*at->second);
  };
  for (std::size_t i = 0; i < hits.size(); ++i) {
    for (const std::int64_t row : places[i].before) add(row, hits[i].before);
    for (const std::int64_t row : places[i].after) add(row, hits[i].after);
    for (const OverPart& part : hits[i].item.over)
      if (!part.newer.empty()) add(row_of[part.newer.str()], hits[i].newer);
  }
  return {};
}

Result<std::vector<StoredMessage>> Searcher::originals(const RequestContext& request, std::span<const MessageId> ids) {
  WEFT_TRY(auto rows, core_.store->messages().get(request.scope.key(), ids));
  std::vector<StoredMessage> messages;
  for (MessageRow& row : rows) messages.push_back(stored(std::move(row)));
  return messages;
}

// By the parents of the session's tree, which is read without texts, and then by number.
Result<std::vector<StoredMessage>> Searcher::branch_to(const RequestContext& request, const MessageId& id) {
  const ScopeKey scope = request.scope.key();
  WEFT_TRY(const auto found, core_.store->messages().get(scope, std::span(&id, 1)));
  const MessageRow* end = nullptr;
  for (const MessageRow& row : found)
    if (end == nullptr || row.active || !end->active) end = &row;
  if (end == nullptr) return std::vector<StoredMessage>();
  WEFT_TRY(const auto tree, core_.store->messages().tree(scope, end->session));
  std::map<std::int64_t, const MessageRow*> by_number;
  for (const MessageRow& row : tree) by_number.emplace(row.seq, &row);
  std::vector<MessageId> ids;
  for (auto at = by_number.find(end->seq); at != by_number.end(); at = by_number.find(at->second->parent))
    ids.push_back(at->second->message.id);
  WEFT_TRY(auto rows, core_.store->messages().get(scope, ids));
  std::vector<StoredMessage> messages;
  for (MessageRow& row : rows)
    if (row.session == end->session) messages.push_back(stored(std::move(row)));
  return messages;
}

Result<std::vector<StoredMessage>> Searcher::history(const RequestContext& request, const SessionId& session,
                                                     std::size_t limit, std::int64_t before) {
  const ScopeKey scope = request.scope.key();
  MessageRows& rows = core_.store->messages();
  WEFT_TRY(auto found, before > 0 ? rows.before(scope, session, before, limit) : rows.recent(scope, session, limit));
  std::vector<StoredMessage> messages;
  for (MessageRow& row : found) messages.push_back(stored(std::move(row)));
  return messages;
}

Result<std::vector<Item>> Searcher::items(const RequestContext& request, ItemKind kind, std::size_t limit) {
  WEFT_TRY(auto rows, core_.store->items().of_kind(request.scope.key(), kind, limit));
  WEFT_TRY(const Members members, Members::read(*core_.store, request.scope.key()));
  std::vector<Item> items;
  for (ItemRow& row : rows) {
    if (!row.active) continue;
    items.push_back(spoken(std::move(row)));
    members.tell_apart(items.back());
  }
  return items;
}

// Rows of one kind are found by an index, so each kind gives a page and the nearest of all are taken.
Result<ItemsPage> Searcher::items(const RequestContext& request, const ItemsWanted& what) {
  if (what.limit == 0) return invalid_argument("items: the limit is 0");
  const bool back = what.newest_first;
  const std::int64_t after = back && what.after == 0 ? std::numeric_limits<std::int64_t>::max() : what.after;
  std::vector<ItemRow> rows;
  for (const ItemKind kind : what.kinds) {
    WEFT_TRY(auto some, core_.store->items().next_of_kind(request.scope.key(), kind, after, back, what.limit + 1));
    rows.insert(rows.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  std::sort(rows.begin(), rows.end(),
            [&](const ItemRow& a, const ItemRow& b) { return back ? a.row > b.row : a.row < b.row; });
  ItemsPage page;
  if (rows.size() > what.limit) {
    rows.resize(what.limit);
    page.next = rows.back().row;
  }
  WEFT_TRY(const Members members, Members::read(*core_.store, request.scope.key()));
  for (ItemRow& row : rows) {
    page.items.push_back(spoken(std::move(row)));
    members.tell_apart(page.items.back());
  }
  return page;
}

}  // namespace weft
