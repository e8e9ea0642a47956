#include "surface/mcp/tool.h"

#include <algorithm>
#include <array>
#include <future>
#include <iterator>
#include <thread>

#include "base/call_context.h"
#include "base/log.h"
#include "base/threads.h"
#include "model/growth_records.h"
#include "surface/api/bodies.h"
#include "surface/api/tools.h"
#include "surface/mcp/protocol.h"
#include "text/json.h"
#include "text/line_diff.h"

namespace weft::mcp {
namespace {

// Operations whose tools have names of their own.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames{{{"search", "memory_search"},
                                                                               {"observe", "memory_observe"},
                                                                               {"save", "memory_save"},
                                                                               {"context", "context_assemble"}}};
// What other tools do already, and what is nothing for a model.
constexpr std::array<std::string_view, 10> kLeftOut{"usage",    "end",           "apply_state",  "tools",
                                                    "run_tool", "next_question", "ask_question", "answer_question",
                                                    "metrics",  "export"};
// POST is not always an addition.
constexpr std::array<std::string_view, 3> kReading{"search", "match_skills", "verify_erasure"};
constexpr std::array<std::string_view, 4> kDestroying{"erase", "erase_in_groups", "forget_belief", "put_knowledge"};

template <class List>
bool among(const List& list, std::string_view id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

ToolHint hint_of(const Operation& operation) {
  if (operation.method == "GET" || among(kReading, operation.id)) return ToolHint::kReads;
  if (operation.method == "DELETE" || among(kDestroying, operation.id)) return ToolHint::kDestroys;
  return operation.method == "PUT" ? ToolHint::kSets : ToolHint::kAdds;
}

std::string name_of(const Operation& operation) {
  for (const auto& [id, name] : kNames)
    if (id == operation.id) return std::string(name);
  return operation.id;
}

bool is_for_models(const Operation& operation) {
  if (among(kLeftOut, operation.id)) return false;
  if (operation.answer_type.starts_with("text/event-stream")) return false;
  // What concerns the workspace as a whole is its keeper's business.
  return operation.whose != Whose::kNobody || operation.id == "health";
}

// Who destroys asks a person first, where there is one to ask.
Result<std::optional<ToolAnswer>> confirmed(const Exchange& exchange, const Tool& tool, const Value& arguments) {
  if (tool.hint != ToolHint::kDestroys || !exchange.client.asks_people) return std::optional<ToolAnswer>();
  const Value form = ValueObject{
      {"type", "object"},
      {"properties",
       ValueObject{{"confirm", ValueObject{{"type", "boolean"}, {"title", "Confirm"}, {"default", false}}}}},
      {"required", ValueList{"confirm"}}};
  WEFT_TRY(auto replied, ask_person(exchange, {"confirm",
                                               tool.description + ": " + tool.name + " " + to_json(arguments) +
                                                   "\nThis cannot be taken back. 此操作无法撤销。",
                                               form}));
  if (auto* needed = std::get_if<InputNeeded>(&replied)) return std::optional<ToolAnswer>(std::move(*needed));
  const PersonReply& reply = std::get<PersonReply>(replied);
  const Value* given = reply.content.find("confirm");
  if (reply.accepted && given != nullptr && *given == Value(true)) return std::optional<ToolAnswer>();
  return permission("the user did not confirm " + tool.name + ", so nothing was done");
}

// What an answer has as a list alone is described by its name elsewhere.
void describe_lists(Value& answer) {
  if (Value* forms = answer.find("anyOf"); forms != nullptr && forms->list() != nullptr)
    for (Value& form : *forms->list()) describe_lists(form);
  Value* properties = answer.find("properties");
  if (properties == nullptr || properties->object() == nullptr) return;
  for (auto& [name, one] : *properties->object())
    if (one.object() != nullptr && one.find("items") != nullptr && one.find("description") == nullptr)
      one.object()->emplace_back("description", "all that were asked for, in their order");
}

std::vector<Tool> make_tools() {
  std::vector<Tool> all = few_tool_list();
  const auto add = [&all](Tool tool) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Tool& one) { return one.name == tool.name; });
    if (!known) all.push_back(std::move(tool));
  };
  for (Tool& one : question_tools()) add(std::move(one));
  for (const Operation& one : operations())
    if (is_for_models(one)) add(tool_of(one, name_of(one)));
  for (Tool& tool : all) {
    describe_lists(tool.answer);
    tool.run = [run = std::move(tool.run),
                told = Tool{tool.name, tool.description, {}, {}, tool.hint, tool.right, {}, {}, {}}](
                   Engine& engine, const Exchange& exchange, const Value& arguments) -> Result<ToolAnswer> {
      WEFT_CHECK(check_right(exchange.asker.access, told.right));
      WEFT_TRY(auto held, confirmed(exchange, told, arguments));
      if (held) return std::move(*held);
      return run(engine, exchange, arguments);
    };
  }
  return all;
}

Result<const Tool*> tool_named(std::string_view name) {
  const std::string wanted = offered_name(name);
  std::string names;
  for (const Tool& one : all_tools()) {
    if (one.name == wanted) return &one;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  return invalid_argument("no tool is called \"" + std::string(name.substr(0, 80)) + "\"",
                          "\"few\", \"all\", or some of: " + names);
}

Value annotations_of(ToolHint hint) {
  if (hint == ToolHint::kReads) return ValueObject{{"readOnlyHint", true}, {"openWorldHint", false}};
  return ValueObject{{"readOnlyHint", false},
                     {"destructiveHint", hint == ToolHint::kDestroys},
                     {"idempotentHint", hint != ToolHint::kAdds},
                     {"openWorldHint", false}};
}

}  // namespace

Tool tool_of(const Operation& operation, std::string name) {
  Tool tool;
  tool.name = std::move(name);
  tool.description = operation.summary;
  tool.arguments = arguments_schema(operation);
  tool.accepted = tool.arguments;
  tool.answer = answer_schema(operation);
  tool.hint = hint_of(operation);
  tool.right = operation.right;
  tool.run = [&operation](Engine& engine, const Exchange& exchange, const Value& arguments) -> Result<ToolAnswer> {
    WEFT_TRY(Value answer, call_operation(engine, exchange, operation, arguments));
    return ToolAnswer(std::move(answer));
  };
  return tool;
}

const std::vector<Tool>& all_tools() {
  static const std::vector<Tool> all = make_tools();
  return all;
}

Result<std::vector<const Tool*>> chosen_tools(const ToolChoice& choice) {
  std::vector<const Tool*> chosen;
  if (choice == "all" || choice == "few" || choice.empty()) {
    const std::size_t count = choice == "all" ? all_tools().size() : few_tools();
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(&all_tools()[i]);
    return chosen;
  }
  for (std::string_view rest = choice; !rest.empty();) {
    std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name.empty()) continue;
    WEFT_TRY(const Tool* tool, tool_named(name));
    if (std::find(chosen.begin(), chosen.end(), tool) == chosen.end()) chosen.push_back(tool);
  }
  return chosen;
}

Value tool_description(const Tool& tool) {
  ValueObject told{{"name", tool.name}, {"description", tool.description}, {"inputSchema", tool.arguments}};
  if (!tool.answer.is_null()) told.emplace_back("outputSchema", tool.answer);
  told.emplace_back("annotations", annotations_of(tool.hint));
  return told;
}

// The tools that a client is offered where nothing else is asked for. Each costs its model tokens in every call, so
// only what most need stands here, with the fields that models use.

namespace {

constexpr std::size_t kFew = 5;

/// How many messages were kept.
struct Kept {
  std::size_t kept = 0;
};

}  // namespace

}  // namespace weft::mcp

namespace weft {

WEFT_DESCRIBED(mcp::Kept);

template <>
const Record<mcp::Kept>& record<mcp::Kept>() {
  static const auto made = Record<mcp::Kept>("Kept", "", RecordUse::kTold).field("kept", &mcp::Kept::kept, "messages");
  return made;
}

}  // namespace weft

namespace weft::mcp {
namespace {

template <class T>
Value inlined_schema() {
  SchemaBook inlined(true);
  return record<T>().schema(inlined);
}

// Only these of its arguments are offered; the others are still taken.
void offer(Tool& tool, std::initializer_list<std::string_view> names) {
  ValueObject kept;
  const Value* properties = tool.arguments.find("properties");
  for (const std::string_view name : names)
    if (const Value* one = properties->find(name)) kept.emplace_back(name, *one);
  ValueList required;
  if (const Value* needed = tool.arguments.find("required"))
    for (const Value& one : *needed->list())
      if (std::find(names.begin(), names.end(), *one.text()) != names.end()) required.push_back(one);
  ValueObject schema{{"type", "object"}, {"properties", std::move(kept)}};
  if (!required.empty()) schema.emplace_back("required", std::move(required));
  tool.arguments = std::move(schema);
}

void set_property(Tool& tool, std::string_view name, Value schema) {
  ValueObject& properties = *tool.arguments.find("properties")->object();
  for (auto& [known, old] : properties)
    if (known == name) {
      old = std::move(schema);
      return;
    }
  properties.emplace_back(name, std::move(schema));
}

Value session_property() { return ValueObject{{"type", "string"}, {"description", "the conversation's name"}}; }

// Lines after the first are set in: no text looks like another hit.
std::string set_in(std::string_view text) { return with_line_breaks_as("\n ", text); }

// A line a hit: what happened when, who said it, whether it is to be trusted, and since when it no longer holds.
std::string hits_text(const Value& answer) {
  const Value* hits = answer.find("hits");
  const Value* known = answer.find("known");
  std::string out;
  if (known != nullptr && *known == Value(false)) out = "Nothing is remembered of that.";
  if (hits == nullptr || hits->list() == nullptr) return out.empty() ? to_json(answer) : out;
  if (!out.empty() && !hits->list()->empty()) out += " The nearest:";
  for (const Value& hit : *hits->list()) {
    std::string who = text_of(hit, "who");
    const std::string until = text_of(hit, "until"), warning = text_of(hit, "warning");
    if (!warning.empty()) who += " " + warning;
    out += (out.empty() ? "[" : "\n[") + text_of(hit, "id") + "] " + text_of(hit, "date") +
           (who.empty() ? " " : " " + set_in(who) + ": ") + set_in(text_of(hit, "text")) +
           (until.empty() ? "" : " (until " + until + ")");
  }
  return out;
}

Tool search_tool() {
  Tool tool = tool_of(*find_operation("search"), "memory_search");
  tool.description = "Searches what is remembered from earlier conversations. Use it before you answer from memory.";
  offer(tool, {"query", "top_k", "from", "to", "as_of"});
  // An empty cursor asks for the first page.
  std::erase_if(*tool.accepted.find("properties")->object(), [](const auto& one) { return one.first == "cursor"; });
  tool.answer = inlined_schema<CompactResult>();
  tool.text = hits_text;
  tool.run = [run = tool.run](Engine& engine, const Exchange& exchange, const Value& arguments) {
    ValueObject asked = *arguments.object();
    asked.emplace_back("compact", true);
    return run(engine, exchange, Value(std::move(asked)));
  };
  return tool;
}

Tool observe_tool() {
  Tool tool = tool_of(*find_operation("observe"), "memory_observe");
  tool.description = "Remembers messages of this conversation, word for word.";
  offer(tool, {"messages", "session"});
  const Value text = ValueObject{{"type", "string"}};
  const Value time = ValueObject{{"type", "string"}, {"description", "ISO 8601"}};
  const Value role = ValueObject{{"type", "string"}, {"enum", ValueList{"user", "assistant"}}};
  set_property(
      tool, "messages",
      ValueObject{
          {"type", "array"},
          {"items",
           ValueObject{{"type", "object"},
                       {"properties", ValueObject{{"role", role}, {"content", text}, {"name", text}, {"time", time}}},
                       {"required", ValueList{"role", "content"}}}}});
  set_property(tool, "session", session_property());
  tool.answer = inlined_schema<Kept>();
  tool.run = [run = tool.run](Engine& engine, const Exchange& exchange, const Value& arguments) -> Result<ToolAnswer> {
    WEFT_TRY(const ToolAnswer answer, run(engine, exchange, arguments));
    const Value* observed = std::get<Value>(answer).find("observations");
    const std::size_t kept = observed == nullptr || observed->list() == nullptr ? 0 : observed->list()->size();
    return ToolAnswer(Value(ValueObject{{"kept", kept}}));
  };
  return tool;
}

// A tool of models as every surface offers it, see surface/api/tools.h.
Tool memory_tool(const ToolDefinition& told) {
  Tool tool;
  tool.name = told.name;
  tool.description = told.description;
  tool.arguments = parse_value(told.parameters).value_or(ValueObject{{"type", "object"}});
  tool.accepted = tool.arguments;
  if (Value* properties = tool.accepted.find("properties"); properties != nullptr && properties->object() != nullptr)
    properties->object()->emplace_back("session", session_property());
  const Value answer = parse_value(told.answer).value_or(Value());
  tool.answer = answer;
  if (ValueObject* forms = answer.find("anyOf") != nullptr ? tool.answer.object() : nullptr)
    forms->insert(forms->begin(), {"type", "object"});
  tool.hint = told.changes ? ToolHint::kAdds : ToolHint::kReads;
  tool.right = told.changes ? Right::kWrite : Right::kRead;
  tool.run = [name = told.name](Engine& engine, const Exchange& exchange,
                                const Value& arguments) -> Result<ToolAnswer> {
    ValueObject given = *arguments.object();
    SessionId session = exchange.session;
    std::erase_if(given, [&session](const auto& one) {
      if (one.first != "session" || one.second.text() == nullptr) return one.first == "session";
      session = SessionId(*one.second.text());
      return true;
    });
    WEFT_CHECK(check_id(session.str(), "session"));
    WEFT_TRY(const std::string answered, call_tool({engine, exchange.context, session, exchange.asker.access}, name,
                                                   to_json(Value(std::move(given)))));
    WEFT_TRY(Value value, parse_value(answered, {.max_bytes = answered.size() + 1}, "answer"));
    return ToolAnswer(std::move(value));
  };
  return tool;
}

void make_leaner(Tool& tool) {
  if (tool.name == "end") {
    offer(tool, {"action_summary", "new_info", "task_done"});
    set_property(tool, "session", session_property());
  } else if (tool.name == "cognitive_get_profile") {
    tool.text = [](const Value& profile) { return text_of(profile, "body"); };
  } else if (tool.name == "memory_read_output") {
    set_property(tool, "session", session_property());
  } else if (tool.name.starts_with("cognitive_search_")) {
    tool.text = hits_text;
  }
}

}  // namespace

std::size_t few_tools() { return kFew; }

std::vector<Tool> few_tool_list() {
  std::vector<Tool> few{search_tool(), observe_tool()}, others;
  for (const ToolDefinition& told : memory_tools()) {
    Tool tool = memory_tool(told);
    make_leaner(tool);
    const bool common = tool.name == "end" || tool.name == "cognitive_get_profile";
    (common ? few : others).push_back(std::move(tool));
  }
  few.push_back(question_tools().front());
  few.insert(few.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return few;
}

namespace {

constexpr std::chrono::minutes kPatience{10};  // of a person before a form

PersonReply reply_of(const Value& told) {
  PersonReply reply;
  reply.accepted = text_of(told, "action") == "accept";
  if (const Value* content = told.find("content"); reply.accepted && content != nullptr) reply.content = *content;
  return reply;
}

}  // namespace

Result<std::variant<PersonReply, InputNeeded>> ask_person(const Exchange& exchange, InputNeeded form) {
  if (is_stateless(exchange.client.revision)) {
    const Value* replies = exchange.params().find("inputResponses");
    const Value* reply = replies == nullptr ? nullptr : replies->find(form.key);
    // What makes no sense is asked for again.
    if (reply == nullptr || text_of(*reply, "action").empty()) return std::variant<PersonReply, InputNeeded>(form);
    return std::variant<PersonReply, InputNeeded>(reply_of(*reply));
  }
  ValueObject params{{"message", form.message}, {"requestedSchema", form.schema}};
  if (exchange.client.revision >= Revision::k2025_11_25) params.insert(params.begin(), {"mode", "form"});
  WEFT_TRY(const Value told, exchange.peer.ask("elicitation/create", Value(std::move(params)), kPatience));
  return std::variant<PersonReply, InputNeeded>(reply_of(told));
}

// Questions that only a person can answer. Where the client can put a form before its user the answer comes with the
// call; else the question is given back, and the model asks it.

namespace {

constexpr std::string_view kKey = "question:";

InputNeeded form_of(const Question& question) {
  ValueObject answer{{"type", "string"}, {"title", "Answer"}};
  ValueList choices(question.choices.begin(), question.choices.end());
  if (!choices.empty()) answer.emplace_back("enum", std::move(choices));
  const std::string why = question.why.empty() ? "" : "\n(" + question.why + ")";
  return {std::string(kKey) + question.id, question.text + why,
          ValueObject{{"type", "object"},
                      {"properties", ValueObject{{"answer", std::move(answer)}}},
                      {"required", ValueList{"answer"}}}};
}

Result<Value> told(const Result<Question>& question) {
  if (!question.ok()) return question.error();
  return parse_value(to_json(*question));
}

Result<ToolAnswer> before_person(Engine& engine, const Exchange& exchange, const Question& question) {
  if (!exchange.client.asks_people) {
    WEFT_TRY(Value open, told(question));
    return ToolAnswer(std::move(open));
  }
  WEFT_TRY(auto replied, ask_person(exchange, form_of(question)));
  if (auto* needed = std::get_if<InputNeeded>(&replied)) return ToolAnswer(std::move(*needed));
  const PersonReply& reply = std::get<PersonReply>(replied);
  const std::string answer = text_of(reply.content, "answer");
  // Who declines may still be asked later: the question stays in its queue.
  if (!reply.accepted || answer.empty()) {
    WEFT_TRY(Value open, told(question));
    return ToolAnswer(std::move(open));
  }
  WEFT_TRY(Value answered, told(engine.questions(exchange.context).answer(question.id, answer)));
  return ToolAnswer(std::move(answered));
}

// The question whose answer comes with the call; nothing where none does.
Result<std::optional<Question>> asked_before(Engine& engine, const Exchange& exchange) {
  const Value* replies = exchange.params().find("inputResponses");
  if (replies == nullptr || replies->object() == nullptr || !is_stateless(exchange.client.revision))
    return std::optional<Question>();
  WEFT_TRY(const auto all, engine.questions(exchange.context).list());
  for (const auto& [key, reply] : *replies->object())
    for (const Question& one : all)
      if (key == std::string(kKey) + one.id) return std::optional(one);
  return std::optional<Question>();
}

Result<ToolAnswer> next_question(Engine& engine, const Exchange& exchange, const Value&) {
  WEFT_TRY(auto question, asked_before(engine, exchange));
  if (!question) {
    WEFT_TRY(question, engine.questions(exchange.context).next());
  }
  if (!question) return ToolAnswer(Value(ValueObject{}));
  return before_person(engine, exchange, *question);
}

Result<ToolAnswer> ask_question(Engine& engine, const Exchange& exchange, const Value& arguments) {
  WEFT_TRY(auto question, asked_before(engine, exchange));
  if (!question) {
    WEFT_TRY(const Value queued, call_operation(engine, exchange, *find_operation("ask_question"), arguments));
    WEFT_TRY(const auto all, engine.questions(exchange.context).list());
    for (const Question& one : all)
      if (one.id == text_of(queued, "id")) question = one;
    if (!question) return ToolAnswer(queued);
  }
  return before_person(engine, exchange, *question);
}

}  // namespace

std::vector<Tool> question_tools() {
  Tool next = tool_of(*find_operation("next_question"), "question_next");
  next.description =
      "The question that stands before the user now, if any; where the user can be asked, with the answer.";
  next.answer = tool_of(*find_operation("answer_question"), {}).answer;
  if (ValueObject* schema = next.answer.object())
    std::erase_if(*schema, [](const auto& member) { return member.first == "required"; });
  next.hint = ToolHint::kAdds;
  next.right = Right::kWrite;
  next.run = next_question;
  Tool ask = tool_of(*find_operation("ask_question"), "question_ask");
  ask.description =
      "Asks the user something that only they can know or decide. Waits in a queue where they cannot be asked now.";
  ask.hint = ToolHint::kAdds;
  ask.run = ask_question;
  return {next, ask, tool_of(*find_operation("answer_question"), "question_answer")};
}

namespace {

constexpr std::chrono::milliseconds kTick{500};    // between two notices of progress
constexpr std::chrono::seconds kLongest{120};      // a call that is still at work then is ended

void log_to(const Exchange& exchange, Severity level, std::string text) {
  if (!exchange.client.log || level < *exchange.client.log) return;
  exchange.peer.notify(
      "notifications/message",
      ValueObject{{"level", std::string(to_string(level))}, {"logger", "weft"}, {"data", std::move(text)}});
}

/// Tells how long a call has been at work, where it was asked to.
class Progress {
 public:
  explicit Progress(const Exchange& exchange) : exchange_(exchange), begun_(std::chrono::steady_clock::now()) {
    const Value* meta = meta_of(exchange.params());
    token_ = meta == nullptr ? nullptr : meta->find("progressToken");
  }
  std::chrono::duration<double> time() const { return std::chrono::steady_clock::now() - begun_; }
  void tell(const std::string& what) {
    if (token_ == nullptr) return;
    exchange_.peer.notify("notifications/progress",
                          ValueObject{{"progressToken", *token_}, {"progress", time().count()}, {"message", what}});
  }

 private:
  const Exchange& exchange_;
  const std::chrono::steady_clock::time_point begun_;
  const Value* token_ = nullptr;
};

// A call that needs no person works on a thread of its own, so that this one can tell of it and end it.
Result<ToolAnswer> work(Engine& engine, const Exchange& exchange, const Tool& tool, const Value& arguments,
                        Progress& progress) {
  std::stop_source stop;
  const std::stop_callback caller_left(exchange.context.cancel, [&stop] { stop.request_stop(); });
  RequestContext context = exchange.context;
  context.cancel = stop.get_token();
  const Exchange inner{exchange.message, exchange.client, std::move(context), exchange.session,
                       exchange.tools,   exchange.peer,   exchange.asker};
  // Only this thread may use the connection.
  if (exchange.client.asks_people && !is_stateless(exchange.client.revision)) return tool.run(engine, inner, arguments);
  std::packaged_task<Result<ToolAnswer>()> task([&, context = CallContext::to_hand_over()] {
    const CallScope call(context);
    return tool.run(engine, inner, arguments);
  });
  auto done = task.get_future();
  std::jthread worker;
  if (const Status begun = start_thread(worker, tool.name, std::move(task)); !begun.ok()) {
    log_warning("mcp.tool", begun.error().message + "; the call is made without notices of progress");
    return tool.run(engine, inner, arguments);
  }
  progress.tell(tool.name + " is at work");
  exchange.peer.while_waiting([&] {
    while (done.wait_for(kTick) != std::future_status::ready) {
      progress.tell(tool.name + " is at work");
      if (progress.time() > kLongest) stop.request_stop();
    }
  });
  progress.tell(tool.name + " is done");
  return done.get();
}

Value content_of(const std::string& text) { return ValueList{ValueObject{{"type", "text"}, {"text", text}}}; }

// What the model did wrong is for the model to read.
Value failure(const Error& error) {
  return ValueObject{{"content", content_of(error.message + (error.hint.empty() ? "" : "\n" + error.hint))},
                     {"isError", true}};
}

Value form_needed(const InputNeeded& form) {
  const Value params = ValueObject{{"mode", "form"}, {"message", form.message}, {"requestedSchema", form.schema}};
  const Value request = ValueObject{{"method", "elicitation/create"}, {"params", params}};
  return ValueObject{{"resultType", "input_required"}, {"inputRequests", ValueObject{{form.key, request}}}};
}

}  // namespace

const Tool* find_tool(std::span<const Tool* const> tools, std::string_view name) {
  const std::string wanted = offered_name(name);
  for (const Tool* one : tools)
    if (one->name == wanted) return one;
  return nullptr;
}

Reply run_tool(Engine& engine, const Exchange& exchange, const Tool& tool, const Value& arguments) {
  Progress progress(exchange);
  const auto answered = work(engine, exchange, tool, arguments, progress);
  if (exchange.asker.meter != nullptr)
    exchange.asker.meter->note(tool.name, answered.ok() ? "done" : to_string(answered.error().code),
                               progress.time().count());
  const auto ms = std::to_string(static_cast<std::int64_t>(progress.time().count() * 1000)) + " ms";
  if (!answered.ok()) {
    log_to(exchange, Severity::kError, tool.name + " failed after " + ms + ": " + answered.error().message);
    return failure(answered.error());
  }
  log_to(exchange, Severity::kDebug, tool.name + " took " + ms);
  if (const auto* form = std::get_if<InputNeeded>(&*answered)) return form_needed(*form);
  const Value& answer = std::get<Value>(*answered);
  ValueObject result{{"content", content_of(tool.text ? tool.text(answer) : to_json(answer))}};
  if (answer.object() != nullptr) result.emplace_back("structuredContent", answer);
  return Value(std::move(result));
}

}  // namespace weft::mcp
