#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

#include "model/records.h"
#include "surface/access/access.h"
#include "surface/api/bodies.h"
#include "surface/api/operation.h"
#include "surface/api/tools.h"
#include "text/token_counter.h"
#include "text/utf8.h"

namespace weft {

// Searching, what is remembered, what was said, the tools of models.

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

// MEMORY.md and days.

namespace {

struct AddedAnswer {
  KnowledgeAdded added = KnowledgeAdded::kNew;
};
struct WriteKnowledge {
  std::string text;
  bool force = false;
};
struct ConfirmKnowledge {
  std::string text;
};

}  // namespace

inline constexpr std::array kKnowledgeAddeds{KnowledgeAdded::kNew, KnowledgeAdded::kKnown,
                                             KnowledgeAdded::kContradicts};
template <>
inline constexpr std::span<const KnowledgeAdded> kEnumValues<KnowledgeAdded>{kKnowledgeAddeds};

WEFT_DESCRIBED(AddedAnswer);
WEFT_DESCRIBED(WriteKnowledge);
WEFT_DESCRIBED(ConfirmKnowledge);

template <>
const Record<AddedAnswer>& record<AddedAnswer>() {
  static const auto made =
      Record<AddedAnswer>("KnowledgeAdded", "What became of something that was to be added.", RecordUse::kTold)
          .field("added", &AddedAnswer::added, "known: it was there in other words");
  return made;
}

template <>
const Record<WriteKnowledge>& record<WriteKnowledge>() {
  static const auto made =
      Record<WriteKnowledge>("WriteKnowledge", "A text in the place of the whole MEMORY.md.", RecordUse::kAsked)
          .field("text", &WriteKnowledge::text, "Markdown")
          .field("force", &WriteKnowledge::force, "also where more than a quarter of the entries would be lost");
  return made;
}

template <>
const Record<ConfirmKnowledge>& record<ConfirmKnowledge>() {
  static const auto made =
      Record<ConfirmKnowledge>("ConfirmKnowledge", "Which of two entries that contradict each other holds.",
                               RecordUse::kAsked)
          .field("text", &ConfirmKnowledge::text, "the one that holds, as it stands", {.required = true});
  return made;
}

template <>
inline constexpr std::string_view kListName<Day> = "days";

namespace {

Result<KnowledgeFile> get_knowledge(const Call& call) { return call.engine.memory(call.context).knowledge(); }

Result<KnowledgeFile> put_knowledge(const Call& call, WriteKnowledge body) {
  return call.engine.memory(call.context).write_knowledge(body.text, body.force);
}

Result<AddedAnswer> add_knowledge(const Call& call, KnowledgeEntry entry) {
  WEFT_TRY(const KnowledgeAdded added, call.engine.memory(call.context).add_knowledge(entry));
  return AddedAnswer{added};
}

Result<KnowledgeEntry> confirm_knowledge(const Call& call, ConfirmKnowledge body) {
  return call.engine.memory(call.context).confirm_knowledge(body.text);
}

Result<std::vector<Day>> days(const Call& call) {
  WEFT_TRY(const auto dates, call.engine.memory(call.context).days());
  std::vector<Day> list;
  for (const std::string& date : dates) list.push_back({date, {}});
  return list;
}

std::string key_of(const Day& day) { return day.date; }

Result<Day> day(const Call& call) { return call.engine.memory(call.context).day(call.path("date")); }

}  // namespace

std::vector<Operation> knowledge_operations() {
  return {
      operation("knowledge", "GET /v1/knowledge", "MEMORY.md as it stands", Whose::kScope, get_knowledge),
      operation("put_knowledge", "PUT /v1/knowledge", "put a text in its place", Whose::kScope, put_knowledge),
      operation("add_knowledge", "POST /v1/knowledge/entries", "add an entry; what contradicts one is marked",
                Whose::kScope, add_knowledge),
      operation("confirm_knowledge", "POST /v1/knowledge/confirm",
                "say which of two entries holds; the other one is given", Whose::kScope, confirm_knowledge),
      list_operation("days", "GET /v1/days", "the days of which something is written", Whose::kScope, ListOrder::kByKey,
                     days, key_of),
      operation("day", "GET /v1/days/{date}", "what happened on one of them", Whose::kScope, day),
  };
}

// What is known of people and groups over the long run.

namespace {

struct ProfileText {
  std::string body;
};

}  // namespace

WEFT_DESCRIBED(ProfileText);

template <>
const Record<ProfileText>& record<ProfileText>() {
  static const auto made = Record<ProfileText>("WriteProfile", "A profile as a person words it.", RecordUse::kAsked)
                               .field("body", &ProfileText::body, "the whole text, in Markdown", {.required = true});
  return made;
}

namespace {

Result<EntityKey> entity_of(const Call& call) {
  const auto type = parse_entity_type(call.path("type"));
  if (!type)
    return invalid_argument("a profile is of a user or of a group",
                            "use /v1/profiles/user/ID or /v1/profiles/group/ID");
  WEFT_CHECK(check_id(call.path("id"), "profile"));
  return EntityKey{*type, call.path("id")};
}

// A profile's own path says whose it is; the scope still has to be the same.
Result<Profile> profile(const Call& call) {
  WEFT_TRY(const auto entity, entity_of(call));
  return call.engine.profiles(call.context).read(entity);
}

Result<std::vector<ProfileVersion>> profile_versions(const Call& call) {
  WEFT_TRY(const auto entity, entity_of(call));
  return call.engine.profiles(call.context).history(entity);
}

std::string key_of(const ProfileVersion& one) { return number_key(static_cast<std::int64_t>(one.version)); }

Result<std::uint64_t> version_of(const Call& call) {
  const std::string& text = call.path("version");
  std::uint64_t version = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || stop != text.data() + text.size()) return invalid_argument("a version is a whole number");
  return version;
}

Result<Profile> roll_back(const Call& call) {
  WEFT_TRY(const auto entity, entity_of(call));
  WEFT_TRY(const auto version, version_of(call));
  return call.engine.profiles(call.context).roll_back(version, entity);
}

Result<Profile> kept_version(const Call& call) {
  WEFT_TRY(const auto entity, entity_of(call));
  WEFT_TRY(const auto version, version_of(call));
  return call.engine.profiles(call.context).version(version, entity);
}

Result<Profile> write(const Call& call, ProfileText text) {
  WEFT_TRY(const auto entity, entity_of(call));
  return call.engine.profiles(call.context).write(text.body, entity);
}

}  // namespace

std::vector<Operation> profile_operations() {
  return {
      operation("profile", "GET /v1/profiles/{type}/{id}", "the profile of a user or a group", Whose::kScope, profile),
      list_operation("profile_history", "GET /v1/profiles/{type}/{id}/history", "its kept versions", Whose::kScope,
                     ListOrder::kByKey, profile_versions, key_of),
      operation("roll_back_profile", "POST /v1/profiles/{type}/{id}/rollback/{version}", "put one of them back",
                Whose::kScope, roll_back),
      operation("profile_version", "GET /v1/profiles/{type}/{id}/history/{version}", "one of them, with its text",
                Whose::kScope, kept_version),
      operation("write_profile", "PUT /v1/profiles/{type}/{id}",
                "put a text in its place; what stood there is kept as a version", Whose::kScope, write),
  };
}

// What a session is told and asked: messages, prompts, ends of turns, its task, compactions.

namespace {

/// What a session works on; null: nothing.
struct TaskAnswer {
  std::optional<SessionTask> task;
};
struct Ended {
  bool ended = false;
};

}  // namespace

WEFT_DESCRIBED(TaskAnswer);
WEFT_DESCRIBED(Ended);

template <>
const Record<TaskAnswer>& record<TaskAnswer>() {
  static const auto made = Record<TaskAnswer>("TaskAnswer", "What a session works on.", RecordUse::kTold)
                               .custom(
                                   "task", "null: nothing",
                                   [](SchemaBook& book) {
                                     return Value(ValueObject{{"anyOf", ValueList{record<SessionTask>().schema(book),
                                                                                  ValueObject{{"type", "null"}}}}});
                                   },
                                   nullptr,
                                   [](const TaskAnswer& answer, JsonWriter& out) {
                                     JsonForm<std::optional<SessionTask>>::write(answer.task, out);
                                   });
  return made;
}

template <>
const Record<Ended>& record<Ended>() {
  static const auto made = Record<Ended>("Ended", "Whether there was a task.", RecordUse::kTold)
                               .field("ended", &Ended::ended, "there was one");
  return made;
}

namespace {

// Nobody waits for the encoder who does not ask for it.
Result<bool> awaits_decisions(const Call& call) {
  const std::string wait = call.text("wait");
  if (wait.empty() || wait == "kept" || wait == "decision") return wait == "decision";
  return invalid_argument("wait: \"" + preview(wait, 40) + "\" is nothing to wait for",
                          "\"kept\" or \"decision\"; without it the call ends when the messages are kept");
}

Result<ObserveReport> observe(const Call& call, Observed messages) {
  WEFT_TRY(const auto session, call.session());
  RequestContext request = call.context;
  WEFT_TRY(request.await_decisions, awaits_decisions(call));
  return call.engine.session(request, session).observe(messages.all);
}

Result<Paged<List<StoredMessage>>> session_messages(const Call& call, const PageWanted& wanted) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const auto before, wanted.number());
  WEFT_TRY(auto messages, call.engine.session(call.context, session).history(wanted.limit + 1, before));
  return newest_page(std::move(messages), wanted,
                     [](const StoredMessage& first) { return std::to_string(first.sequence); });
}

Result<ObserveReport> save(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  return call.engine.session(call.context, session).save();
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

Result<WovenContext> assemble(const Call& call, ContextRequest what) {
  WEFT_TRY(const auto session, call.session());
  if (what.other_tokens == 0) what.other_tokens = tokens_of_tools(what.tools, call.engine.config().context.tools_max);
  if (what.request_id.empty()) what.request_id = std::string(call.request.header("idempotency-key"));
  WEFT_TRY(auto woven, call.engine.session(call.context, session).context(what));
  if (!what.full)
    for (Message& message : woven.messages) message = chat_form(message);
  return woven;
}

Result<EndReport> end(const Call& call, EndRequest what) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(what.sender_id,
           speaker_of_call(call.request.access, call.context.scope, call.engine.config(), std::move(what.sender_id)));
  return call.engine.session(call.context, session).end(what);
}

Result<TaskAnswer> get_task(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(auto task, call.engine.session(call.context, session).task());
  return task.empty() ? TaskAnswer{} : TaskAnswer{std::move(task)};
}

Result<TaskAnswer> put_task(const Call& call, SessionTask task) {
  WEFT_TRY(const auto session, call.session());
  WEFT_CHECK(call.engine.session(call.context, session).set_task(task));
  return get_task(call);
}

Result<Ended> end_task(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  WEFT_TRY(const bool ended, call.engine.session(call.context, session).end_task());
  return Ended{ended};
}

Result<Compaction> compact(const Call& call, CompactRequest what) {
  WEFT_TRY(const auto session, call.session());
  return call.engine.session(call.context, session).compact(what);
}

Result<std::vector<Compaction>> compactions(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  return call.engine.session(call.context, session).compactions();
}

std::string key_of(const Compaction& one) { return one.id; }

Result<Compaction> undo_compaction(const Call& call) {
  WEFT_TRY(const auto session, call.session());
  return call.engine.session(call.context, session).undo_compaction();
}

}  // namespace

std::vector<Operation> session_operations() {
  std::vector<Operation> all{
      operation("observe", "POST /v1/sessions/{id}/messages", "take messages in: one, an array, or {\"messages\":[…]}",
                Whose::kScope, observe,
                {text_parameter(
                    "wait",
                    "\"decision\": the call also waits for the topics of what it closed, and tells the "
                    "decisions; \"kept\", as without it: it ends when the messages are kept and found by words")}),
      list_operation("history", "GET /v1/sessions/{id}/messages",
                     "the newest messages of a session, oldest first; the next page are those before them",
                     Whose::kScope, session_messages),
      operation("save", "POST /v1/sessions/{id}/save", "close the session's open topic now", Whose::kScope, save),
      operation("context", "POST /v1/sessions/{id}/context", "weave the prompt of the next model call, with a report",
                Whose::kScope, assemble),
      operation("end", "POST /v1/sessions/{id}/end", "end an agent's turn: what it did and what it learnt",
                Whose::kScope, end),
      operation("compact", "POST /v1/sessions/{id}/compact", "put a summary in the place of the older turns",
                Whose::kScope, compact),
      list_operation("compactions", "GET /v1/sessions/{id}/compactions", "what was compacted", Whose::kScope,
                     ListOrder::kAsGiven, compactions, key_of),
      operation("undo_compaction", "POST /v1/sessions/{id}/compact/undo", "take the newest compaction back",
                Whose::kScope, undo_compaction),
      operation("task", "GET /v1/sessions/{id}/task", "what the session works on", Whose::kScope, get_task),
      operation("put_task", "PUT /v1/sessions/{id}/task", "set it; it stays until it is ended", Whose::kScope,
                put_task),
      operation("end_task", "DELETE /v1/sessions/{id}/task", "end it", Whose::kScope, end_task),
  };
  for (Operation& one : all) one.body_needed = one.id == "observe" || one.id == "put_task";
  return all;
}

}  // namespace weft
