// Looking on: conversations and how they were cut, prompts that were woven, what happens now.
#include <optional>

#include "model/scope_key.h"
#include "model/watch_records.h"
#include "surface/api/operation.h"

namespace weft {

template <>
inline constexpr std::string_view kListName<SessionSummary> = "sessions";
template <>
inline constexpr std::string_view kListName<PastContext> = "contexts";

namespace {

/// Whose memory there is.
struct KnownScopes {
  std::vector<std::string> users, groups;
};

}  // namespace

WEFT_DESCRIBED(KnownScopes);

template <>
const Record<KnownScopes>& record<KnownScopes>() {
  static const auto made = Record<KnownScopes>("Scopes", "Whose memory there is.", RecordUse::kTold)
                               .field("users", &KnownScopes::users, "ids of users")
                               .field("groups", &KnownScopes::groups, "ids of groups");
  return made;
}

namespace {

Result<List<SessionSummary>> sessions(const Call& call) {
  WEFT_TRY(const auto limit, call.limit());
  WEFT_TRY(auto all, call.engine.watch(call.context).sessions(limit));
  return List<SessionSummary>{std::move(all)};
}

Result<WatchedTurns> turns(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const auto limit, call.limit());
  return call.engine.watch(call.context).turns(session, limit);
}

Result<List<PastContext>> session_contexts(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const auto limit, call.limit());
  WEFT_TRY(auto all, call.engine.watch(call.context).contexts(session, limit));
  return List<PastContext>{std::move(all)};
}

Result<KnownScopes> scopes(const Call& call) {
  WEFT_TRY(const auto keys, call.engine.upkeep().scopes());
  KnownScopes known;
  for (const ScopeKey& key : keys) {
    const ScopeParts parts = parts_of_scope(key);
    (parts.group.empty() ? known.users : known.groups).push_back(parts.group.empty() ? parts.user : parts.group);
  }
  return known;
}

// From the number that a client saw last, which browsers send again; else from now on.
Result<std::uint64_t> first_wanted(const Call& call, const Watch& watch) {
  WEFT_TRY(const std::uint64_t newest, watch.newest());
  WEFT_TRY(const std::int64_t asked, call.number("since", static_cast<std::int64_t>(newest)));
  std::uint64_t since = static_cast<std::uint64_t>(asked);
  const std::string seen(call.request.header("last-event-id"));
  const bool whole = !seen.empty() && seen.find_first_not_of("0123456789") == std::string::npos && seen.size() < 19;
  if (whole) since = std::stoull(seen);
  return since > newest ? 0 : since;  // a number from before a restart: all that has happened since is new
}

std::string event_text(const Happening& one) {
  return "id: " + std::to_string(one.id) + "\nevent: " + std::string(to_string(one.kind)) + "\ndata: " + to_json(one) +
         "\n\n";
}

// What has happened so far goes as fast as the client takes it. Gives from where on the rest is to be told; nothing
// where the client is gone.
std::optional<std::uint64_t> send_past(const Watch& watch, std::uint64_t since, http::ResponseWriter& out) {
  for (;;) {
    const auto happened = watch.happenings(since);
    if (!happened.ok() || happened->empty()) return since;
    std::string text;
    for (const Happening& one : *happened) text += event_text(one);
    since = happened->back().id;
    if (!out.write(text)) return std::nullopt;
  }
}

void send_events(Engine& engine, const http::Request& request, http::ResponseWriter& out) {
  const auto call = call_of(engine, request, out, Whose::kScope);
  if (!call.ok()) return http::send_error(out, call.error());
  const Watch watch = engine.watch(call->context);
  const auto since = first_wanted(*call, watch);
  if (!since.ok()) return http::send_error(out, since.error());
  out.header("Cache-Control", "no-store");
  const auto stream = out.stay_open({"text/event-stream", ": still here\n\n"});
  if (!stream && !out.started())
    return http::send_error(out, invalid_argument("events need a connection that stays open", "ask the server"));
  // The first bytes tell the client that it is connected, and from where on.
  if (!stream || !out.write("id: " + std::to_string(*since) + "\n: looking on\n\n")) return;
  const auto next = send_past(watch, *since, out);
  if (!next) return;
  const auto number = watch.follow(*next, [stream](const Happening& one) { stream->offer(event_text(one)); });
  if (!number.ok()) return stream->end();
  stream->when_over([&engine, context = call->context, number = *number] { engine.watch(context).unfollow(number); });
}

Operation events_operation() {
  Operation made = bare_operation(
      "events", "GET /v1/events",
      "what happens now, as server-sent events: messages, decisions, topics, prompts, jobs, steps of agents",
      Whose::kScope,
      {number_parameter("since",
                        "what happened behind this number, as far as it is still held; from now on if left out", 0)});
  made.answer_type = "text/event-stream";
  made.run = send_events;
  return made;
}

// Who can read everybody's memory by name has not thereby been told everybody's name.
Operation all_scopes() {
  Operation made =
      operation("scopes", "GET /v1/scopes", "users and groups of whom there is memory", Whose::kNobody, scopes);
  made.right = Right::kAdmin;
  return made;
}

}  // namespace

std::vector<Operation> watch_operations() {
  constexpr Whose kScope = Whose::kScope;
  return {
      operation("sessions", "GET /v1/sessions", "conversations, the one with the newest message first", kScope,
                sessions, {limit_parameter()}),
      operation("turns", "GET /v1/sessions/{id}/turns",
                "how it was cut into topics: its newest turns with the decisions about them", kScope, turns,
                {limit_parameter()}),
      operation("session_contexts", "GET /v1/sessions/{id}/contexts",
                "reports of the prompts that were woven for it since the start, newest first", kScope, session_contexts,
                {limit_parameter()}),
      all_scopes(),
      events_operation(),
  };
}

}  // namespace weft
