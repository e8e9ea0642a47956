// Looking on: conversations and how they were cut, prompts that were woven, what happens now.
#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "model/records.h"
#include "model/scope_key.h"
#include "surface/api/list_operation.h"

namespace weft {

template <>
inline constexpr std::string_view kListName<SessionSummary> = "sessions";
template <>
inline constexpr std::string_view kListName<PastContext> = "contexts";

namespace {

/// Whose memory there is.
struct KnownScopes {
  std::vector<std::string> users, groups;
  std::string next;
};
/// Turns of a conversation, and the topics that they are in.
struct TurnsPage {
  WatchedTurns told;
  std::string next;
};

}  // namespace

WEFT_DESCRIBED(KnownScopes);
WEFT_DESCRIBED(TurnsPage);

template <>
const Record<KnownScopes>& record<KnownScopes>() {
  static const auto made = Record<KnownScopes>("Scopes", "Whose memory there is.", RecordUse::kTold)
                               .field("users", &KnownScopes::users, "ids of users")
                               .field("groups", &KnownScopes::groups, "ids of groups")
                               .field("next", &KnownScopes::next, kNextDoc, {.sparse = true});
  return made;
}

template <>
const Record<TurnsPage>& record<TurnsPage>() {
  static const auto made = Record<TurnsPage>("TurnsPage", "How a conversation was cut into topics.", RecordUse::kTold)
                               .spread(&TurnsPage::told, record<WatchedTurns>())
                               .field("next", &TurnsPage::next, kNextDoc, {.sparse = true});
  return made;
}

namespace {

// "NEWEST LAST SESSION": see `SessionsPlace`.
Result<SessionsPlace> sessions_place(const std::string& text) {
  SessionsPlace place;
  if (text.empty()) return place;
  const auto first = text.find(' ');
  const auto second = first == std::string::npos ? first : text.find(' ', first + 1);
  if (second == std::string::npos) return no_cursor();
  WEFT_TRY(place.as_of, (PageWanted{1, text.substr(0, first)}.number()));
  WEFT_TRY(place.before, (PageWanted{1, text.substr(first + 1, second - first - 1)}.number()));
  place.last = SessionId(text.substr(second + 1));
  return place;
}

Result<Paged<List<SessionSummary>>> sessions(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto from, sessions_place(wanted.after));
  WEFT_TRY(auto page, call.engine.watch(call.context).sessions(from, wanted.limit));
  std::string place;
  if (page.next)
    place = std::to_string(page.next->as_of) + " " + std::to_string(page.next->before) + " " + page.next->last.str();
  return Paged<List<SessionSummary>>{{std::move(page.sessions)}, std::move(place)};
}

Result<Paged<TurnsPage>> turns(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const auto before, wanted.number());
  WEFT_TRY(auto told, call.engine.watch(call.context).turns(session, wanted.limit + 1, before));
  const auto beyond = told.turns.size() > wanted.limit ? told.turns.front().topic : TopicId();
  auto page =
      newest_page(std::move(told.turns), wanted, [](const WatchedTurn& first) { return std::to_string(first.first); });
  told.turns = std::move(page.answer.all);
  // The topic of the turn that is not on this page is on it only where it goes on.
  const bool goes_on = beyond.empty() || told.turns.front().topic == beyond;
  if (!goes_on && !told.topics.empty()) told.topics.erase(told.topics.begin());
  return Paged<TurnsPage>{{std::move(told), {}}, std::move(page.place)};
}

Result<Paged<List<PastContext>>> session_contexts(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const auto before, wanted.number());
  WEFT_TRY(auto found,
           call.engine.watch(call.context).contexts(session, wanted.limit + 1, static_cast<std::uint64_t>(before)));
  return first_page(std::move(found), wanted, [](const PastContext& last) { return std::to_string(last.id); });
}

Result<Paged<KnownScopes>> scopes(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(auto keys, call.engine.upkeep().scopes());
  WEFT_TRY(const auto page,
           page_of(std::move(keys), ListOrder::kByKey, wanted, [](const ScopeKey& key) { return key.str(); }));
  Paged<KnownScopes> known{{}, page.place};
  for (const ScopeKey& key : page.answer) {
    const ScopeParts parts = parts_of_scope(key);
    (parts.group.empty() ? known.answer.users : known.answer.groups)
        .push_back(parts.group.empty() ? parts.user : parts.group);
  }
  return known;
}

// The number that a client saw last, which browsers send again; else now.
Result<std::uint64_t> first_wanted(const Call& call, std::uint64_t newest) {
  WEFT_TRY(const std::int64_t asked, call.number("since", static_cast<std::int64_t>(newest)));
  const std::string seen(call.request.header("last-event-id"));
  const bool whole = !seen.empty() && seen.find_first_not_of("0123456789") == std::string::npos && seen.size() < 19;
  return whole ? std::stoull(seen) : static_cast<std::uint64_t>(asked);
}

// A live event has no number: the client's Last-Event-ID stays.
std::string event_text(const Happening& one) {
  const std::string id = one.id == 0 ? "" : "id: " + std::to_string(one.id) + "\n";
  if (one.payload.empty())
    return id + "event: dropped\ndata: {\"kind\":\"dropped\",\"id\":" + std::to_string(one.id) + "}\n\n";
  return id + "event: " + std::string(to_string(one.kind)) + "\ndata: " + to_json(one) + "\n\n";
}

constexpr std::size_t kMostWaiting = std::size_t{1} << 20;  // bytes

// Events that come while the client reads older ones wait here. Then they go to the client as they come.
class Waiting {
 public:
  explicit Waiting(std::shared_ptr<http::OpenStream> stream) : stream_(std::move(stream)) {}

  void add(std::string text) {
    const std::lock_guard lock(mutex_);
    if (is_over_)
      stream_->offer(text);
    else if (texts_.size() < kMostWaiting)
      texts_ += text;
    else
      stream_->end();  // the client comes back with the number that it saw last
  }
  // Nothing is waiting any more: from now on events go to the client at once.
  std::optional<std::string> next() {
    const std::lock_guard lock(mutex_);
    is_over_ = texts_.empty();
    return is_over_ ? std::nullopt : std::optional(std::exchange(texts_, {}));
  }

 private:
  const std::shared_ptr<http::OpenStream> stream_;
  std::mutex mutex_;
  std::string texts_;
  bool is_over_ = false;
};

// Writes the events behind `since` up to `newest`, as fast as the client takes them. False: the client is gone, or the
// store failed.
bool send_past(const Watch& watch, std::uint64_t since, std::uint64_t newest, http::ResponseWriter& out) {
  while (since < newest) {
    const auto happened = watch.happenings(since);
    if (!happened.ok()) return false;
    if (happened->empty()) return true;  // the rest was erased
    std::string text;
    for (const Happening& one : *happened)
      if (one.id <= newest) text += event_text(one);
    since = happened->back().id;
    if (!text.empty() && !out.write(text)) return false;
  }
  return true;
}

void send_events(Engine& engine, const http::Request& request, http::ResponseWriter& out) {
  const auto call = call_of(engine, request, out, Whose::kScope);
  if (!call.ok()) return http::send_error(out, call.error());
  const Watch watch = engine.watch(call->context);
  const auto newest = watch.newest();
  if (!newest.ok()) return http::send_error(out, newest.error());
  const auto since = first_wanted(*call, *newest);
  if (!since.ok()) return http::send_error(out, since.error());
  out.header("Cache-Control", "no-store");
  const auto stream = out.stay_open({"text/event-stream", ": still here\n\n"});
  if (!stream && !out.started())
    return http::send_error(out, invalid_argument("events need a connection that stays open", "ask the server"));
  if (!stream) return;
  const auto waiting = std::make_shared<Waiting>(stream);
  const auto number =
      watch.follow(std::max(*since, *newest), [waiting](const Happening& one) { waiting->add(event_text(one)); });
  if (!number.ok()) return stream->end();
  stream->when_over([&engine, context = call->context, number = *number] { engine.watch(context).unfollow(number); });
  // The first bytes tell the client that it is connected, and from where on.
  if (!out.write("id: " + std::to_string(*since) + "\n: looking on\n\n")) return;
  // A client whose stream ends comes back with the number that it saw last.
  if (!send_past(watch, *since, *newest, out)) return stream->end();
  while (const auto text = waiting->next())
    if (!out.write(*text)) return;
}

Operation events_operation() {
  Operation made = bare_operation(
      "events", "GET /v1/events",
      "events of the scope, as server-sent events: messages, decisions, topics, ends, answers, tasks and documents by "
      "their numbers in the log; prompts, jobs and steps of agents as they come",
      Whose::kScope,
      {number_parameter(
          "since",
          "begin behind this number; an event \"dropped\" has the number up to which events are not kept any more; "
          "without it, begin now",
          0)});
  made.answer_type = "text/event-stream";
  made.run = send_events;
  return made;
}

// Who can read everybody's memory by name has not thereby been told everybody's name.
Operation all_scopes() {
  Operation made = list_operation("scopes", "GET /v1/scopes", "users and groups of whom there is memory",
                                  Whose::kNobody, scopes, {}, kWholePage);
  made.right = Right::kAdmin;
  return made;
}

}  // namespace

std::vector<Operation> watch_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      list_operation("sessions", "GET /v1/sessions", "conversations, the one with the newest message first", kScope,
                     sessions),
      list_operation("turns", "GET /v1/sessions/{id}/turns",
                     "how it was cut into topics: its newest turns with the decisions about them", kScope, turns),
      list_operation("session_contexts", "GET /v1/sessions/{id}/contexts",
                     "reports of the prompts that were woven for it since the start, newest first", kScope,
                     session_contexts),
      all_scopes(),
      events_operation(),
  };
}

}  // namespace weft
