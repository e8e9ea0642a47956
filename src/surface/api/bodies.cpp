#include "surface/api/bodies.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "model/records.h"
#include "model/rows.h"
#include "surface/api/operation.h"
#include "text/instruction_like.h"
#include "text/json.h"
#include "text/time_bounds.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostTools = 10'000;

Value with_doc(Value schema, const char* doc) {
  schema.object()->emplace_back("description", doc);
  return schema;
}

Value optional_text() { return ValueObject{{"type", ValueList{"string", "null"}}}; }

// The fields that src/model/message_reader.cpp reads. A message in any of its forms is described; other fields are kept
// and passed on.
Value message_schema() {
  const Value part = ValueObject{{"type", "object"},
                                 {"properties", ValueObject{{"type", ValueObject{{"type", "string"}}}}},
                                 {"required", ValueList{"type"}}};
  const Value parts = ValueObject{{"type", "array"}, {"items", part}};
  const Value text_or_parts =
      ValueObject{{"anyOf", ValueList{ValueObject{{"type", "string"}}, parts, ValueObject{{"type", "null"}}}}};
  const Value role = ValueObject{{"type", "string"},
                                 {"enum", ValueList{"system", "developer", "user", "assistant", "tool", "function"}}};
  const auto time = [](const char* doc) {
    const Value text = ValueObject{{"type", "string"}, {"format", "date-time"}};
    const Value seconds = ValueObject{{"type", "number"}};
    return ValueObject{{"description", doc}, {"anyOf", ValueList{seconds, text, ValueObject{{"type", "null"}}}}};
  };
  const Value call =
      ValueObject{{"type", "object"},
                  {"properties", ValueObject{{"id", optional_text()}, {"function", ValueObject{{"type", "object"}}}}}};
  Value id = id_schema(IdNeed::kNeeded);
  id.object()->emplace_back("description", "by which a message that is sent again is known");
  Value sender = id_schema(IdNeed::kNeeded);
  *sender.find("type") = ValueList{"string", "integer", "null"};
  sender.object()->emplace_back("description", "in a group: the user who speaks");
  return ValueObject{
      {"type", "object"},
      {"description", "a message in OpenAI chat form, or in Anthropic form with blocks of content"},
      {"properties",
       ValueObject{{"role", role},
                   {"content", text_or_parts},
                   {"id", id},
                   {"name", with_doc(optional_text(), "the speaker's name")},
                   {"time", time("when it was said: RFC 3339, or seconds since 1970")},
                   {"timestamp", time("the same")},
                   {"created_at", time("the same")},
                   {"sender_id", sender},
                   {"tool_calls", ValueObject{{"type", ValueList{"array", "null"}}, {"items", call}}},
                   {"tool_call_id", with_doc(optional_text(), "of an output: which call it answers")},
                   {"is_error", ValueObject{{"type", ValueList{"boolean", "null"}},
                                            {"description", "of an output: it tells of a failure"}}},
                   {"reasoning_content", with_doc(optional_text(), "the model's thought before it acted or answered")},
                   {"reasoning", with_doc(optional_text(), "the same")}}},
      {"required", ValueList{"role"}}};
}

Value use_message(SchemaBook& book) {
  return book.use("MessageIn", [](SchemaBook&) { return message_schema(); });
}

Value message_list(SchemaBook& book) { return ValueObject{{"type", "array"}, {"items", use_message(book)}}; }

// Read by `BodyForm<ContextRequest>`, from the body itself.
Status read_later(std::string_view, const std::string&, ContextRequest&) { return {}; }

Status read_task(std::string_view json, const std::string& place, ContextRequest& into) {
  WEFT_TRY(auto task, parse_session_task(json, place));
  into.task = std::move(task.state);
  if (into.preferences.empty()) into.preferences = std::move(task.preferences);
  return {};
}

Status read_plan(std::string_view json, const std::string&, ContextRequest& into) {
  WEFT_TRY(into.plan, parse_plan(json));
  into.planned = true;
  return {};
}

Status check_tools(const ContextRequest& request, const std::string&) {
  if (request.tools.size() <= kMostTools) return {};
  return wrong_field("tools", "an array of at most " + std::to_string(kMostTools));
}

Value task_or_text(SchemaBook& book) {
  return ValueObject{{"anyOf", ValueList{record<SessionTask>().schema(book), ValueObject{{"type", "string"}}}}};
}

using Members = std::vector<std::pair<std::string, std::string_view>>;

// A message may hold more than is read of it, but nothing that would say whose it is.
Status check_own_names(const Members& message) {
  constexpr std::array<std::string_view, 6> kMisplaced{"user_id", "userId", "group_id", "groupId", "group", "group-id"};
  for (const auto& [name, value] : message)
    if (value != "null" && std::find(kMisplaced.begin(), kMisplaced.end(), name) != kMisplaced.end())
      return invalid_argument("\"" + name + "\" is not read where it stands",
                              "say \"user\", or \"metadata\": {\"user_id\": …, \"group_id\": …}");
  return {};
}

// The body around a list says whose memory is meant; a message in the list may not.
Status check_names_in_list(const std::vector<Message>& messages) {
  const auto may_name = [](const auto& member) { return member.first == "user" || member.first == "metadata"; };
  for (const Message& message : messages) {
    if (!message.raw.starts_with('{')) continue;
    const Members members = json_members(message.raw);
    WEFT_CHECK(check_own_names(members));
    if (std::none_of(members.begin(), members.end(), may_name)) continue;
    WEFT_TRY(const Names names, names_in_body(message.raw));
    if (!names.user.empty() || !names.group.empty())
      return invalid_argument("a message in a list names a user or a group, which is not read there",
                              "name them beside \"messages\", or by the header X-Weft-User");
  }
  return {};
}

}  // namespace

Status read_senders(std::vector<Message>& messages) {
  for (Message& message : messages) {
    if (message.role != Role::kUser || !message.raw.starts_with('{')) continue;
    const std::string_view given = json_member(message.raw, "sender_id");
    if (given.empty() || given == "null") continue;
    std::string id(given);
    if (given.starts_with('"')) {
      WEFT_TRY(id, json_text(given));
    } else if (given.find_first_not_of("0123456789") != std::string_view::npos) {
      return wrong_field("sender_id", "a string or a whole number");
    }
    WEFT_CHECK(check_id(id, "sender_id"));
    message.sender_id = UserId(std::move(id));
  }
  return {};
}

template <>
const Record<ContextRequest>& record<ContextRequest>() {
  using C = ContextRequest;
  constexpr FieldRule kTokens{.least = 0, .wanted = "a whole number of tokens"};
  constexpr FieldRule kChosen{.wanted = "one of: cache, spec"};
  static const auto made =
      Record<C>("ContextRequest", "What the next model call is, as far as its context is concerned.", RecordUse::kAsked)
          .field("system", &C::system, "the caller's own system prompt")
          .field("input", &C::input, "the user's new message; empty where \"messages\" ends with it",
                 {.option = "input"})
          .custom("messages", "the caller's own history; without it the session's recent turns", message_list,
                  read_later, nullptr)
          .custom("history", "the same", message_list, read_later, nullptr)
          .field("model", &C::model, "the model that is called")
          .field("window", &C::window, "its context window in tokens", kTokens)
          .field("output_tokens", &C::output_tokens, "kept for the answer", kTokens)
          .field("other_tokens", &C::other_tokens, "of what the call carries beside the messages", kTokens)
          .field("system_messages", &C::system_messages, "\"one\" or \"several\", as the model takes them")
          .field("observe", &C::observe, "take what is new in \"messages\" into the session first; true if left out")
          .custom("task", "what the agent works on, or its description", task_or_text, read_task, nullptr)
          .field("preferences", &C::preferences, "beside those of the session's task and of the scope")
          .field("errors", &C::errors, "what was tried and failed, beside what the history tells")
          .field("tools", &C::tools, "on offer; the fitting ones are described")
          .field("planned", &C::planned, "plan first: skeleton from state and quests, curated lore")
          .custom(
              "plan", "one from outside stands as it is",
              [](SchemaBook& book) { return record<PlanContext>().schema(book); }, read_plan, nullptr)
          .field("state", &C::state, "name of the state to render")
          .field("template", &C::template_id, "template of the skeleton")
          .field("layout", &C::layout, "order of the prompt: cache or spec", kChosen)
          .field("skein", &C::skein, "also as one text for plain models")
          .field("full", &C::full, "messages with their ids and times")
          .field("request_id", &C::request_id, "sent again with the same id, no number is changed a second time")
          .check(check_tools);
  return made;
}

MessageLimits message_limits(const Config& config) {
  return {.max_bytes = static_cast<std::size_t>(config.limits.max_message_bytes),
          .max_depth = static_cast<std::size_t>(config.limits.max_depth),
          .max_tool_calls = static_cast<std::size_t>(config.limits.max_tool_calls)};
}

Result<Observed> BodyForm<Observed>::read(std::string_view body, const Config& config) {
  const MessageLimits limits = message_limits(config);
  WEFT_CHECK(check_json(body, body_limits(body, config), "the body"));
  const std::string_view object = object_in(body);
  Observed observed;
  if (!object.empty() && json_member(object, "messages").empty()) {
    WEFT_CHECK(check_own_names(json_members(object)));
    WEFT_TRY(observed.all, parse_message(body, limits));
    WEFT_CHECK(read_senders(observed.all));
    return observed;
  }
  if (!object.empty()) {
    constexpr std::array<std::string_view, 5> kKnown{"messages", "system", "user", "metadata", "world"};
    for (const auto& [name, value] : json_members(object))
      if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end())
        return unknown_field("", name, std::span(kKnown).first(2));
  }
  WEFT_TRY(observed.all, parse_messages(body, limits));
  WEFT_CHECK(check_names_in_list(observed.all));
  WEFT_CHECK(read_senders(observed.all));
  return observed;
}

Value BodyForm<Observed>::schema(SchemaBook& book) {
  const Value wrapped = ValueObject{{"type", "object"},
                                    {"properties", ValueObject{{"messages", message_list(book)}}},
                                    {"required", ValueList{"messages"}}};
  return ValueObject{{"anyOf", ValueList{use_message(book), message_list(book), wrapped}}};
}

Result<ContextRequest> BodyForm<ContextRequest>::read(std::string_view body, const Config& config) {
  WEFT_TRY(auto request, parse_record<ContextRequest>(body, "the body", body_limits(body, config), kBesideFields));
  if (trimmed(body).empty()) return request;
  std::string_view history = json_member(body, "history");
  if (history.empty() || history == "null") history = json_member(body, "messages");
  if (history.empty() || history == "null") return request;
  WEFT_TRY(request.history, parse_messages(history, message_limits(config)));
  WEFT_CHECK(read_senders(request.history));
  return request;
}

Value BodyForm<ContextRequest>::schema(SchemaBook& book) { return record<ContextRequest>().schema(book); }

Result<SessionTask> BodyForm<SessionTask>::read(std::string_view body, const Config& config) {
  if (trimmed(body).starts_with('{'))
    return parse_record<SessionTask>(body, "the body", body_limits(body, config), kBesideFields);
  return parse_session_task(body, "the body");
}

Value BodyForm<SessionTask>::schema(SchemaBook& book) { return task_or_text(book); }

Result<std::vector<Preference>> BodyForm<std::vector<Preference>>::read(std::string_view body, const Config&) {
  return parse_preferences(body, "the body");
}

Value BodyForm<std::vector<Preference>>::schema(SchemaBook& book) {
  return JsonForm<std::vector<Preference>>::schema(book, {});
}

Result<StateChange> BodyForm<StateChange>::read(std::string_view body, const Config& config) {
  if (trimmed(body).starts_with('[')) {
    StateChange change;
    change.operations = std::string(body);
    return change;
  }
  return parse_record<StateChange>(body, "the body", body_limits(body, config), kBesideFields);
}

Value BodyForm<StateChange>::schema(SchemaBook& book) {
  const Value operation = ValueObject{{"type", "array"}, {"items", ValueObject{}}};
  const Value alone = ValueObject{{"type", "array"}, {"items", operation}};
  return ValueObject{{"anyOf", ValueList{record<StateChange>().schema(book), alone}}};
}

namespace {

constexpr std::size_t kMostLines = 2000, kMostMatches = 200;
constexpr std::size_t kMostBytes = 64 * 1024;  // of one answer; the next lines are asked for again

Result<StoredMessage> find_message(Engine& engine, const RequestContext& request, const SessionId& session,
                                   const std::string& id) {
  if (id.empty()) return invalid_argument("\"id\" is missing", "give the id that the shortened output names");
  const MessageId wanted(id);
  WEFT_TRY(auto found, engine.memory(request).originals(std::span(&wanted, 1)));
  if (found.empty())
    return not_found("there is no message \"" + id.substr(0, 80) + "\"", "ids stand in shortened outputs");
  const auto own =
      std::find_if(found.begin(), found.end(), [&session](const StoredMessage& one) { return one.session == session; });
  return std::move(own == found.end() ? found.back() : *own);
}

void put_matches(const std::vector<std::string_view>& lines, const ReadOutput& what, OutputPart& out) {
  auto& matches = out.matches.emplace();
  std::size_t bytes = 0;
  for (std::size_t i = what.from_line - 1; i < lines.size(); ++i) {
    if (lines[i].find(what.find) == std::string_view::npos) continue;
    if (matches.size() >= kMostMatches || bytes > kMostBytes) {
      ++out.more;
      continue;
    }
    bytes += lines[i].size();
    matches.push_back({i + 1, std::string(cut_bytes(lines[i], kMostBytes))});
  }
}

void put_lines(const std::vector<std::string_view>& lines, const ReadOutput& what, OutputPart& out) {
  std::string text;
  std::size_t at = what.from_line - 1;
  const std::size_t end = std::min(lines.size(), at + std::min(what.lines, kMostLines));
  for (; at < end && (text.empty() || text.size() + lines[at].size() < kMostBytes); ++at) {
    if (at + 1 > what.from_line) text += '\n';
    text += lines[at];
  }
  out.from_line = what.from_line;
  out.to_line = at;
  out.text = std::move(text);
}

}  // namespace

template <>
const Record<ReadOutput>& record<ReadOutput>() {
  static const auto made =
      Record<ReadOutput>("ReadOutput", "Which part of a message is wanted.", RecordUse::kAsked)
          .field("id", &ReadOutput::id, "The id that the shortened output names.", {.required = true, .loose = true})
          .field("from_line", &ReadOutput::from_line, "The first line wanted; 1 if left out.",
                 {.least = 1, .wanted = "a whole number from 1 on"})
          .field("lines", &ReadOutput::lines, "How many lines; 200 if left out.",
                 {.least = 1, .wanted = "a whole number from 1 on"})
          .field("find", &ReadOutput::find, "Only lines that hold this text, with their numbers.", {.loose = true});
  return made;
}

template <>
const Record<LineFound>& record<LineFound>() {
  static const auto made = Record<LineFound>("LineFound", "A line that holds what was looked for.", RecordUse::kTold)
                               .field("line", &LineFound::line, "its number")
                               .field("text", &LineFound::text, "the line");
  return made;
}

template <>
const Record<OutputPart>& record<OutputPart>() {
  constexpr FieldRule kSparse{.sparse = true};
  static const auto made = Record<OutputPart>("OutputPart", "A part of a message as it was said.", RecordUse::kTold)
                               .field("id", &OutputPart::id, "of the message")
                               .field("session", &OutputPart::session, "where it was said")
                               .field("role", &OutputPart::role, "by whom")
                               .field("lines", &OutputPart::lines, "how many it has")
                               .field("from_line", &OutputPart::from_line, "the first that stands here", kSparse)
                               .field("to_line", &OutputPart::to_line, "the last", kSparse)
                               .field("text", &OutputPart::text, "these lines", kSparse)
                               .field("matches", &OutputPart::matches, "lines that hold what was looked for", kSparse)
                               .field("more", &OutputPart::more, "such lines that were left out", kSparse);
  return made;
}

Result<OutputPart> read_output(Engine& engine, const RequestContext& request, const SessionId& session,
                               const ReadOutput& what) {
  WEFT_TRY(const StoredMessage found, find_message(engine, request, session, what.id));
  const auto lines = lines_of(found.message.content);
  if (what.from_line < 1 || what.from_line > std::max<std::size_t>(lines.size(), 1))
    return invalid_argument("from_line is " + std::to_string(what.from_line) + ", but the message has " +
                            std::to_string(lines.size()) + " lines");
  if (what.lines < 1) return invalid_argument("lines must be a whole number from 1 on");
  OutputPart out;
  out.id = found.message.id.str();
  out.session = found.session.str();
  out.role = found.message.role;
  out.lines = lines.size();
  if (what.find.empty())
    put_lines(lines, what, out);
  else
    put_matches(lines, what, out);
  return out;
}

namespace {

constexpr double kMaxTopK = 1000;

Status check_sessions(const SearchBody& body, const std::string&) {
  if (body.session) WEFT_CHECK(check_id(body.session->str(), "session"));
  if (body.not_session) WEFT_CHECK(check_id(body.not_session->str(), "not_session"));
  return {};
}

}  // namespace

template <>
const Record<SearchBody>& record<SearchBody>() {
  using S = SearchBody;
  static const auto made =
      Record<S>("SearchRequest", "A question to memory.", RecordUse::kAsked)
          .field("query", &S::query, "what to look for",
                 {.required = true, .wanted = "a string with what is searched", .option = "query"})
          .field("top_k", &S::top_k, "how many results; 10 if left out",
                 {.least = 1, .most = kMaxTopK, .option = "-k,--top"})
          .field("kinds", &S::kinds, "only these kinds", {.option = "--kind"})
          .field("from", &S::from, "not older than this date, time, or words such as \"last week\"")
          .field("to", &S::to, "not newer than this")
          .field("as_of", &S::as_of, "what was known and held then")
          .field("asked", &S::asked, "what \"yesterday\" is counted from; now if left out")
          .field("session", &S::session, "only this session", {.option = "--in-session"})
          .field("not_session", &S::not_session, "all but this session")
          .field("who", &S::who, "only what this person said, among the best thousand hits", {.option = "--who"})
          .field("topic", &S::topic, "only of this topic, likewise", {.option = "--topic"})
          .field("recipe", &S::recipe, "balanced, literal, words, vectors or recent; as configured if left out")
          .field("where", &S::where, "only events with this metadata")
          .field("min_relevance", &S::min_relevance, "only hits whose relevance is not below this",
                 {.least = 0, .most = 1})
          .field("compact", &S::compact, "only what a model needs of each hit")
          .field("cursor", &S::cursor,
                 "the \"next\" of the page before: gives the best hits that no page has given; a compact answer has a "
                 "\"next\" only where this is there, empty for the first page",
                 {.advanced = true})
          .check(check_sessions);
  return made;
}

Result<SearchRequest> search_request(const SearchBody& body, Time now) {
  SearchRequest out;
  out.query = body.query;
  out.top_k = body.who.empty() && body.topic.empty() ? body.top_k : static_cast<std::size_t>(kMaxTopK);
  out.kinds = body.kinds;
  out.recipe = body.recipe;
  out.asked = body.asked;
  out.events = body.where.value_or(EventFilter());
  if (body.session && !body.session->empty()) out.session = body.session;
  if (body.not_session && !body.not_session->empty()) out.not_session = body.not_session;
  const Time seen_from = body.asked.value_or(now);
  WEFT_TRY(const TimeBounds span, read_time_span({"from", body.from}, {"to", body.to}, seen_from));
  WEFT_TRY(const TimeBounds as_of, read_time_field({"as_of", body.as_of}, seen_from));
  out.from = span.from;
  out.to = span.to;
  out.as_of = as_of.to ? as_of.to : as_of.from;
  return out;
}

void keep_wanted(const SearchBody& body, SearchResult& result) {
  const auto unwanted = [&](const Hit& hit) {
    const Item& item = hit.item;
    const bool said =
        item.who == body.who || item.sender_id.str() == body.who || (item.event && item.event->sender_id == body.who);
    return hit.relevance < body.min_relevance || (!body.who.empty() && !said) ||
           (!body.topic.empty() && item.topic.str() != body.topic);
  };
  std::erase_if(result.hits, unwanted);
  if (result.hits.size() > body.top_k) result.hits.resize(body.top_k);
}

namespace {

constexpr std::size_t kMark = 5;  // bytes: two of a thousand hits share one in a million searches
constexpr std::size_t kMostHits = 1000;  // that a search gives, on all of its pages

std::string mark_of_hit(const Hit& hit) {
  const std::string digits = mark_of(hit.item.id.str());
  std::string mark;
  for (std::size_t i = 0; i < kMark; ++i) mark += static_cast<char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  return mark;
}

}  // namespace

Result<GivenHits> GivenHits::at(std::string_view place) {
  if (place.size() % kMark != 0) return no_cursor();
  GivenHits given;
  for (; !place.empty(); place.remove_prefix(kMark)) given.marks.emplace(place.substr(0, kMark));
  return given;
}

std::string GivenHits::with(const SearchResult& page) const {
  std::set<std::string> all = marks;
  for (const Hit& hit : page.hits) all.insert(mark_of_hit(hit));
  std::string place;
  for (const std::string& mark : all) place += mark;
  return place;
}

Result<std::string> search_name(std::string_view body) {
  WEFT_TRY(Value all, parse_value(body, {.max_bytes = body.size() + 1}, "the body"));
  ValueObject* members = all.object();
  if (members == nullptr) return std::string(body);
  std::erase_if(*members, [](const auto& one) {
    return one.first == "cursor" || one.first == "top_k" || one.first == "user" || one.first == "metadata" ||
           one.first == "world" || one.second.is_null();
  });
  std::sort(members->begin(), members->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return to_json(all);
}

void look_behind(const GivenHits& given, SearchRequest& what) {
  what.top_k = std::min(kMostHits, what.top_k + given.marks.size());
}

void leave_out(const GivenHits& given, SearchResult& result) {
  if (given.marks.empty()) return;
  std::erase_if(result.hits, [&](const Hit& hit) { return given.marks.contains(mark_of_hit(hit)); });
}

bool may_go_on(const GivenHits& given, const SearchBody& body, const SearchResult& page) {
  return page.hits.size() >= body.top_k && given.marks.size() + page.hits.size() < kMostHits;
}

namespace {

// An event's text begins with its day, which stands above it.
std::string text_without_day(const Item& item, const std::string& day) {
  const std::string head = "[" + day + "]";
  if (!item.text.starts_with(head)) return item.text;
  const auto begin = item.text.find_first_not_of(" \n", head.size());
  return begin == std::string::npos ? item.text : item.text.substr(begin);
}

}  // namespace

template <>
const Record<CompactHit>& record<CompactHit>() {
  constexpr FieldRule kSparse{.sparse = true};
  static const auto made =
      Record<CompactHit>("CompactHit", "A result of a search, in short.", RecordUse::kTold)
          .field("id", &CompactHit::id, "short; two may share one by chance")
          .field("date", &CompactHit::date, "the day when it happened; left out where nobody knows", kSparse)
          .field("who", &CompactHit::who, "who said it", kSparse)
          .field("text", &CompactHit::text, "what it says")
          .field("until", &CompactHit::until, "since that day it no longer holds", kSparse)
          .field("warning", &CompactHit::warning, "a caution", kSparse);
  return made;
}

template <>
const Record<CompactResult>& record<CompactResult>() {
  static const auto made =
      Record<CompactResult>("CompactResult", "What was found, in short.", RecordUse::kTold)
          .field("known", &CompactResult::known, "false: nothing is remembered of it, whatever stands in \"hits\"")
          .field("hits", &CompactResult::hits, "the best first");
  return made;
}

CompactResult compact_result(const SearchResult& result) {
  CompactResult out{result.known, {}};
  for (const Hit& hit : result.hits) {
    const Item& item = hit.item;
    const std::string day = item.time.ms == 0 ? std::string() : format_date(item.time);
    const bool over = item.event && item.event->valid_until;
    out.hits.push_back({short_id(item.id), day, item.who, text_without_day(item, day),
                        over ? format_date(*item.event->valid_until) : std::string(),
                        std::string(is_suspect(item) ? suspect_remark(language_of(item.text)) : std::string_view())});
  }
  return out;
}

std::string short_id(const ItemId& id) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(term_of(id.str())));
  return digits;
}

}  // namespace weft
