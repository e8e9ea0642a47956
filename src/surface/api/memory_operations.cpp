// Searching, what is remembered, what was said, the tools of models.
#include "surface/api/bodies.h"
#include "surface/api/list_operation.h"
#include "surface/api/read_output.h"
#include "surface/api/search.h"
#include "surface/api/tools.h"

namespace weft {
namespace {

/// What was found, and where more is found.
struct SearchPage {
  SearchResult result;
  std::string next;
};
struct CompactPage {
  CompactResult result;
  std::string next;
};
using FoundPage = std::variant<SearchPage, CompactPage>;

}  // namespace

WEFT_DESCRIBED(SearchPage);
WEFT_DESCRIBED(CompactPage);

template <>
const Record<SearchPage>& record<SearchPage>() {
  static const auto made = Record<SearchPage>("SearchPage", "What was found.", RecordUse::kTold)
                               .spread(&SearchPage::result, record<SearchResult>())
                               .field("next", &SearchPage::next, kNextDoc, {.sparse = true});
  return made;
}

template <>
const Record<CompactPage>& record<CompactPage>() {
  static const auto made = Record<CompactPage>("CompactPage", "What was found, in short.", RecordUse::kTold)
                               .spread(&CompactPage::result, record<CompactResult>())
                               .field("next", &CompactPage::next, kNextDoc, {.sparse = true});
  return made;
}

namespace {

Result<FoundPage> search(const Call& call, SearchBody body) {
  const std::string cursor = body.cursor.value_or("");
  WEFT_TRY(auto what, search_request(body, call.engine.now()));
  WEFT_TRY(std::string name, search_name(call.request.body));
  name = "search\n" + call.context.scope.key().str() + "\n" + name;
  WEFT_TRY(const std::string place, place_of_cursor(name, cursor, kMaxSearchCursor));
  WEFT_TRY(const GivenHits given, GivenHits::at(place));
  look_behind(given, what);
  WEFT_TRY(auto result, call.engine.memory(call.context).search(what));
  leave_out(given, result);
  keep_wanted(body, result);
  // A model that did not ask for pages is spared the cursor.
  const bool tells = may_go_on(given, body, result) && (!body.compact || body.cursor);
  std::string next = tells ? cursor_of(name, given.with(result)) : std::string();
  if (body.compact) return FoundPage(CompactPage{compact_result(result), std::move(next)});
  return FoundPage(SearchPage{std::move(result), std::move(next)});
}

Result<Paged<List<Item>>> items(const Call& call, const PageWanted& wanted) {
  ItemsWanted what{.kinds = {ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative}, .limit = wanted.limit};
  if (const std::string given = call.text("kind"); given == "all") {
    what.kinds.insert(what.kinds.end(), {ItemKind::kProfile, ItemKind::kKnowledge});
  } else if (!given.empty()) {
    const auto kind = parse_item_kind(given);
    if (!kind)
      return invalid_argument("unknown kind " + given.substr(0, 80),
                              "one of: message, event, narrative, profile, lore, knowledge, all");
    what.kinds = {*kind};
  }
  const std::string order = call.text("order");
  if (!order.empty() && order != "oldest" && order != "newest")
    return invalid_argument("unknown order " + order.substr(0, 80), "one of: oldest, newest");
  what.newest_first = order == "newest";
  WEFT_TRY(what.after, wanted.number());
  WEFT_TRY(auto page, call.engine.memory(call.context).items(what));
  return Paged<List<Item>>{{std::move(page.items)}, page.next > 0 ? std::to_string(page.next) : std::string()};
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

Result<std::vector<Preference>> preferences(const Call& call) { return call.engine.memory(call.context).preferences(); }

std::string key_of(const Preference& one) { return mark_of(one.text); }

Result<List<Preference>> put_preferences(const Call& call, std::vector<Preference> given) {
  WEFT_CHECK(call.engine.memory(call.context).set_preferences(given));
  return List<Preference>{std::move(given)};
}

Result<AnyJson> tools(const Call&) { return AnyJson{tools_json()}; }

// The session of a tool call comes from its header, since the arguments are the model's.
Result<AnyJson> run_tool(const Call& call, AnyJson arguments) {
  WEFT_TRY(const Names names, names_in_headers(call.request));
  RequestContext context = call.context;
  WEFT_TRY(context.scope, scope_of(call.request.access, names, {}, call.engine.config()));
  context.world = names.world;
  const std::string session = names.session.empty() ? "default" : names.session;
  WEFT_CHECK(check_id(session, "session"));
  WEFT_TRY(auto answer, call_tool({call.engine, context, SessionId(session), call.request.access}, call.path("name"),
                                  arguments.json));
  return AnyJson{std::move(answer)};
}

}  // namespace

std::vector<Operation> memory_operations() {
  const Value kind = ValueObject{
      {"type", "string"}, {"enum", ValueList{"message", "event", "narrative", "profile", "lore", "knowledge", "all"}}};
  std::vector<Operation> all{
      operation("search", "POST /v1/search", "search the memory", Whose::kScope, search),
      list_operation(
          "items", "GET /v1/items", "what is remembered, in the order in which it was kept", Whose::kScope, items,
          {{"kind", "only this kind; messages, events and narratives if left out; all: these, profiles and knowledge",
            kind},
           {"order", "which come first; the oldest if left out",
            ValueObject{{"type", "string"}, {"enum", ValueList{"oldest", "newest"}}}}}),
      operation("message", "GET /v1/messages/{id}", "a message as it was said, such as an output that was shortened",
                Whose::kScope, message,
                {number_parameter("from_line", "the first line wanted", 1),
                 number_parameter("lines", "how many lines; 200 if left out", 1),
                 text_parameter("find", "only lines that hold this text"),
                 id_parameter("session", "whose message it is, where several have the id", IdNeed::kMayBeEmpty)}),
      list_operation("preferences", "GET /v1/preferences", "what somebody prefers", Whose::kScope, ListOrder::kAsGiven,
                     preferences, key_of),
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
