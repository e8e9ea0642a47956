#include "engine/watcher.h"

#include <algorithm>
#include <limits>

#include "engine/engine_core.h"
#include "flow/stream/observe.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kPreview = 120;  // characters of a text in a list

WatchedTopic shown(const TopicRow& row) {
  WatchedTopic topic;
  topic.topic = row.id;
  topic.open = row.status == TopicStatus::kOpen;
  if (!topic.open) topic.reason = row.reason;
  topic.turns = static_cast<std::size_t>(row.blocks);
  topic.tokens = row.tokens;
  topic.started = row.started;
  topic.newest = row.last;
  topic.lead = row.lead;
  topic.written = row.done;
  return topic;
}

WatchedTurn shown(const BlockRow& row) {
  WatchedTurn turn;
  turn.block = row.id;
  turn.topic = row.topic;
  turn.status = row.status;
  turn.first = row.first_seq;
  turn.last = row.last_seq;
  turn.tokens = row.tokens;
  turn.started = row.started;
  turn.ended = row.last;
  return turn;
}

}  // namespace

Result<std::string> Watcher::beginning_of(const ScopeKey& scope, const SessionId& session, std::int64_t sequence) {
  WEFT_TRY(const auto rows, core_.store->messages().range(scope, session, sequence, sequence));
  return rows.empty() ? std::string() : preview(rows.front().message.content, kPreview);
}

Result<SessionSummary> Watcher::summary_of(const SessionRow& row) {
  SessionSummary out;
  out.session = row.session;
  out.open = !row.open_block.empty();
  WEFT_TRY(const SessionSums sums, core_.store->streams().session_sums(row.scope, row.session));
  out.turns = static_cast<std::size_t>(sums.turns);
  out.topics = static_cast<std::size_t>(sums.topics);
  out.tokens = sums.tokens;
  if (sums.turns > 0) {
    WEFT_TRY(const auto first, core_.store->streams().blocks_before(row.scope, row.session, sums.first_seq + 1, 1));
    if (!first.empty()) out.started = first.front().started;
    WEFT_TRY(out.title, beginning_of(row.scope, row.session, sums.first_seq));
  }
  WEFT_TRY(const auto newest, core_.store->messages().recent(row.scope, row.session, 1));
  if (newest.empty()) return out;
  out.newest = newest.front().message.time.value_or(out.started);
  out.last = preview(newest.front().message.content, kPreview);
  return out;
}

// Each with the newest message that it had when this was the newest of all (0: now), so that what is said while a list
// is walked through takes no conversation from one of its pages to another. Those that are newer are left out.
Result<std::vector<SessionRow>> Watcher::sessions_as_of(const ScopeKey& scope, std::int64_t number) {
  WEFT_TRY(const auto ids, core_.store->streams().scope_sessions(scope));
  std::vector<SessionRow> rows;
  for (const SessionId& id : ids) {
    WEFT_TRY(auto row, core_.store->streams().session(scope, id));
    if (!row) continue;
    if (number > 0 && row->head > number) {
      WEFT_TRY(row->head, core_.store->messages().newest_number(scope, id, number));
      if (row->head == 0) continue;
    }
    rows.push_back(std::move(*row));
  }
  std::sort(rows.begin(), rows.end(), [](const SessionRow& a, const SessionRow& b) {
    return a.head != b.head ? a.head > b.head : a.session < b.session;
  });
  return rows;
}

Result<SessionsPage> Watcher::sessions(const RequestContext& request, const SessionsPlace& from, std::size_t limit) {
  WEFT_TRY(auto rows, sessions_as_of(request.scope.key(), from.as_of));
  const std::int64_t as_of = from.as_of > 0 || rows.empty() ? from.as_of : rows.front().head;
  if (!from.last.empty())
    std::erase_if(rows, [&](const SessionRow& row) {
      return row.head > from.before || (row.head == from.before && !(from.last < row.session));
    });
  SessionsPage page;
  if (rows.size() > limit) {
    rows.resize(limit);
    page.next = SessionsPlace{as_of, rows.back().head, rows.back().session};
  }
  for (const SessionRow& row : rows) {
    WEFT_TRY(auto summary, summary_of(row));
    page.sessions.push_back(std::move(summary));
  }
  return page;
}

Result<WatchedTurns> Watcher::turns(const RequestContext& request, const SessionId& session, std::size_t limit,
                                    std::int64_t before) {
  const ScopeKey scope = request.scope.key();
  WEFT_TRY(const auto row, core_.store->streams().session(scope, session));
  if (!row) return not_found("there is no session \"" + session.str() + "\"", "GET /v1/sessions lists them");
  const std::int64_t end = before > 0 ? before : std::numeric_limits<std::int64_t>::max();
  WEFT_TRY(const auto blocks, core_.store->streams().blocks_before(scope, session, end, limit));
  WatchedTurns out{session, {}, {}};
  for (const BlockRow& block : blocks) {
    WatchedTurn turn = shown(block);
    WEFT_TRY(turn.asked, beginning_of(scope, session, block.first_seq));
    WEFT_TRY(auto decision, core_.store->documents().newest(scope, decision_kind(session), block.id.str()));
    if (decision) turn.decision = std::move(decision->body);
    out.turns.push_back(std::move(turn));
    const bool is_new = !block.topic.empty() && (out.topics.empty() || out.topics.back().topic != block.topic);
    if (!is_new) continue;
    WEFT_TRY(const auto topic, core_.store->streams().topic(scope, session, block.topic));
    if (topic) out.topics.push_back(shown(*topic));
  }
  return out;
}

Result<std::vector<PastContext>> Watcher::contexts(const RequestContext& request, const SessionId& session,
                                                   std::size_t limit, std::uint64_t before) {
  return core_.feed->contexts(request.scope.key(), session, limit, before);
}

Result<std::vector<Happening>> Watcher::happenings(const RequestContext& request, std::uint64_t since,
                                                   std::chrono::milliseconds wait, std::stop_token stop) {
  return core_.feed->after(request.scope.key(), since, wait, stop);
}

std::uint64_t Watcher::follow(const RequestContext& request, std::uint64_t since,
                              std::function<void(const Happening&)> tell) {
  return core_.feed->follow(request.scope.key(), since, std::move(tell));
}

void Watcher::unfollow(std::uint64_t number) { core_.feed->unfollow(number); }

Result<std::uint64_t> Watcher::newest_happening(const RequestContext& request) {
  return core_.feed->newest(request.scope.key());
}

Result<std::vector<ScopeKey>> Watcher::scopes() {
  WEFT_TRY(auto all, core_.store->streams().scopes());
  std::sort(all.begin(), all.end());
  return all;
}

void Watcher::end_watching() { core_.feed->close(); }

}  // namespace weft
