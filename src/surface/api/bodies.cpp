#include "surface/api/bodies.h"

#include "base/strings.h"
#include "model/scope_key.h"
#include "model/session_task.h"

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

}  // namespace weft
