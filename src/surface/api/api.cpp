#include "surface/api/api.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

#include "surface/api/care.h"
#include "surface/api/compact_hits.h"
#include "surface/api/fields.h"
#include "surface/api/group_traces.h"
#include "surface/api/handlers.h"
#include "surface/api/json.h"
#include "surface/api/scope_of_request.h"
#include "surface/api/story.h"
#include "surface/api/task.h"
#include "surface/api/tools.h"
#include "surface/api/world_of_request.h"
#include "text/tokens.h"

namespace weft {
namespace {

using http::Request;
using http::ResponseWriter;
using http::Router;

Result<std::string> observe(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_TRY(const auto messages, parse_observed(request.body, message_limits(engine.config())));
  WEFT_TRY(const auto report, engine.observe(context, session, messages));
  return to_json(report);
}

Result<std::string> history(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_TRY(const auto limit, limit_of(request));
  WEFT_TRY(const auto messages, engine.history(context, session, limit));
  return to_json(std::span<const StoredMessage>(messages));
}

Result<std::string> save(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_CHECK(fields::check_no_fields(request.body));
  WEFT_TRY(const auto report, engine.save(context, session));
  return to_json(report);
}

// Of the tools that are offered so many go along with the call at most: the largest, to be sure.
std::int64_t tokens_of_tools(const std::vector<ToolInfo>& tools, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (const ToolInfo& tool : tools)
    sizes.push_back(estimate_tokens(tool.name + " " + tool.description + " " + tool.parameters, TokenMode::kScript));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  if (static_cast<std::int64_t>(sizes.size()) > most)
    sizes.resize(static_cast<std::size_t>(std::max<std::int64_t>(most, 0)));
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

Result<std::string> assemble(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_TRY(auto what, parse_context_request(request.body, message_limits(engine.config())));
  if (what.other_tokens == 0) what.other_tokens = tokens_of_tools(what.tools, engine.config().context.tools_max);
  if (what.request_id.empty()) what.request_id = std::string(request.header("idempotency-key"));
  WEFT_TRY(const auto woven, engine.context(context, session, what));
  return to_json(woven, what.full);
}

Result<std::string> end(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto session, session_of(request));
  WEFT_TRY(const auto what, parse_end_request(request.body));
  WEFT_TRY(const auto report, engine.end(context, session, what));
  return to_json(report);
}

// The session of a tool call comes from its header, since the arguments are the model's.
Result<std::string> run_tool(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(auto scope, scope_of(names_in_headers(request), Names{}, engine.config().server.default_user));
  WEFT_TRY(auto world, world_in_header(request));
  const RequestContext context{std::move(scope), std::nullopt, out.cancel(), std::move(world), false};
  const std::string named = names_in_headers(request).session;
  const std::string session = named.empty() ? "default" : named;
  WEFT_CHECK(check_id(session, "session"));
  return call_tool(engine, context, SessionId(session), request.params.at("name"), request.body);
}

Result<EntityKey> entity_of(const Request& request) {
  const auto type = parse_entity_type(request.params.at("type"));
  if (!type)
    return invalid_argument("a profile is of a user or of a group",
                            "use /v1/profiles/user/ID or /v1/profiles/group/ID");
  WEFT_CHECK(check_id(request.params.at("id"), "profile"));
  return EntityKey{*type, request.params.at("id")};
}

// A profile's own path says whose it is; the scope still has to be the same.
Result<std::string> profile(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto entity, entity_of(request));
  WEFT_TRY(const auto found, engine.profile(context, entity));
  return to_json(found);
}

Result<std::string> profile_history(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto entity, entity_of(request));
  WEFT_TRY(const auto versions, engine.profile_history(context, entity));
  return to_json(std::span<const ProfileVersion>(versions));
}

Result<std::string> roll_back(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto entity, entity_of(request));
  const std::string& text = request.params.at("version");
  std::uint64_t version = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || stop != text.data() + text.size()) return invalid_argument("a version is a whole number");
  WEFT_CHECK(fields::check_no_fields(request.body));
  WEFT_TRY(const auto found, engine.roll_back_profile(context, entity, version));
  return to_json(found);
}

Result<std::string> search(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto what, parse_search_request(request.body));
  WEFT_TRY(const bool compact, wants_compact(request.body));
  WEFT_TRY(const auto result, engine.search(context, what));
  return compact ? compact_json(result) : to_json(result);
}

Result<std::vector<ItemKind>> kinds_of(const Request& request) {
  const auto given = request.query.find("kind");
  if (given == request.query.end()) return std::vector{ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative};
  const auto kind = parse_item_kind(given->second);
  if (!kind) return invalid_argument("unknown kind " + given->second, "one of: message, event, narrative, profile");
  return std::vector{*kind};
}

Result<std::string> items(Engine& engine, const Request& request, const ResponseWriter& out) {
  WEFT_TRY(const auto context, context_of(engine, request, out));
  WEFT_TRY(const auto kinds, kinds_of(request));
  WEFT_TRY(const auto limit, limit_of(request));
  std::vector<Item> all;
  for (const auto kind : kinds) {
    WEFT_TRY(auto some, engine.items(context, kind, limit));
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return to_json(std::span<const Item>(all));
}

}  // namespace

void add_api(Router& router, Engine& engine) {
  const auto add = [&](std::string_view method, std::string_view path, auto work) {
    add_handler(router, engine, method, path, work);
  };
  add_story_api(router, engine);
  add_task_api(router, engine);
  add_group_traces_api(router, engine);
  add_care_api(router, engine);
  add("POST", "/v1/sessions/{id}/messages", observe);
  add("GET", "/v1/sessions/{id}/messages", history);
  add("POST", "/v1/sessions/{id}/save", save);
  add("POST", "/v1/sessions/{id}/context", assemble);
  add("POST", "/v1/sessions/{id}/end", end);
  add("GET", "/v1/tools",
      [](Engine&, const Request&, const ResponseWriter&) -> Result<std::string> { return tools_json(); });
  add("POST", "/v1/tools/{name}", run_tool);
  add("GET", "/v1/profiles/{type}/{id}", profile);
  add("GET", "/v1/profiles/{type}/{id}/history", profile_history);
  add("POST", "/v1/profiles/{type}/{id}/rollback/{version}", roll_back);
  add("POST", "/v1/search", search);
  add("GET", "/v1/items", items);
}

}  // namespace weft
