// Searching, what is remembered, what was said, the tools of models.
#include "surface/api/bodies.h"
#include "surface/api/compact_hits.h"
#include "surface/api/operation.h"
#include "surface/api/read_output.h"
#include "surface/api/scope_of_request.h"
#include "surface/api/search_body.h"
#include "surface/api/tools.h"
#include "surface/api/world_of_request.h"

namespace weft {
namespace {

using Found = std::variant<SearchResult, CompactResult>;

Result<Found> search(const Call& call, SearchBody body) {
  WEFT_TRY(const auto what, search_request(body, call.engine.now()));
  WEFT_TRY(auto result, call.engine.memory(call.context).search(what));
  keep_wanted(body, result);
  if (body.compact) return Found(compact_result(result));
  return Found(std::move(result));
}

Result<List<Item>> items(const Call& call) {
  std::vector<ItemKind> kinds{ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative};
  if (const std::string given = call.text("kind"); !given.empty()) {
    const auto kind = parse_item_kind(given);
    if (!kind) return invalid_argument("unknown kind " + given, "one of: message, event, narrative, profile, lore");
    kinds = {*kind};
  }
  WEFT_TRY(const auto limit, call.limit());
  List<Item> out;
  for (const auto kind : kinds) {
    WEFT_TRY(auto some, call.engine.memory(call.context).items(kind, limit));
    out.all.insert(out.all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return out;
}

Result<OutputPart> message(const Call& call) {
  ReadOutput what;
  what.id = call.path("id");
  what.find = call.text("find");
  WEFT_TRY(const auto from, call.number("from_line", 1));
  WEFT_TRY(const auto lines, call.number("lines", static_cast<std::int64_t>(what.lines)));
  what.from_line = static_cast<std::size_t>(from);
  what.lines = static_cast<std::size_t>(lines);
  return read_output(call.engine, call.context, SessionId(call.text("session")), what);
}

Result<List<Preference>> preferences(const Call& call) {
  WEFT_TRY(auto all, call.engine.memory(call.context).preferences());
  return List<Preference>{std::move(all)};
}

Result<List<Preference>> put_preferences(const Call& call, std::vector<Preference> given) {
  WEFT_CHECK(call.engine.memory(call.context).set_preferences(given));
  return List<Preference>{std::move(given)};
}

Result<AnyJson> tools(const Call&) { return AnyJson{tools_json()}; }

// The session of a tool call comes from its header, since the arguments are the model's.
Result<AnyJson> run_tool(const Call& call, AnyJson arguments) {
  const Names names = names_in_headers(call.request);
  RequestContext context = call.context;
  WEFT_TRY(context.scope, scope_of(call.request.access, names, Names{}, call.engine.config().server.default_user));
  WEFT_TRY(context.world, world_in_header(call.request));
  const std::string session = names.session.empty() ? "default" : names.session;
  WEFT_CHECK(check_id(session, "session"));
  WEFT_TRY(auto answer, call_tool(call.engine, context, SessionId(session), call.path("name"), arguments.json));
  return AnyJson{std::move(answer)};
}

}  // namespace

std::vector<Operation> memory_operations() {
  const Value kind = ValueObject{{"type", "string"},
                                 {"enum", ValueList{"message", "event", "narrative", "profile", "lore", "knowledge"}}};
  std::vector<Operation> all{
      operation("search", "POST /v1/search", "search the memory", Whose::kScope, search),
      operation("items", "GET /v1/items", "what is remembered, oldest first", Whose::kScope, items,
                {{"kind", "only this kind", kind}, limit_parameter()}),
      operation("message", "GET /v1/messages/{id}", "a message as it was said, such as an output that was shortened",
                Whose::kScope, message,
                {number_parameter("from_line", "the first line wanted", 1),
                 number_parameter("lines", "how many lines; 200 if left out", 1),
                 text_parameter("find", "only lines that hold this text"),
                 id_parameter("session", "whose message it is, where several have the id", IdNeed::kMayBeEmpty)}),
      operation("preferences", "GET /v1/preferences", "what somebody prefers", Whose::kScope, preferences),
      operation("put_preferences", "PUT /v1/preferences", "set it", Whose::kScope, put_preferences),
      operation("tools", "GET /v1/tools", "the memory tools to offer to a model", Whose::kNobody, tools),
      operation("run_tool", "POST /v1/tools/{name}", "run one of them with the arguments that a model gave",
                Whose::kNobody, run_tool),
  };
  all.back().whose = Whose::kScope;  // by its headers
  all.back().right = Right::kWrite;
  for (Operation& one : all) {
    if (one.id == "search") one.right = Right::kRead;
    if (one.id == "tools") one.tells_of_nobody = true;
  }
  all.back().body_needed = false;
  return all;
}

}  // namespace weft
