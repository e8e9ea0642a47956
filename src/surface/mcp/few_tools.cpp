// The tools that a client is offered where nothing else is asked for. Each costs its model tokens in every call, so
// only what most need stands here, with the fields that models use.
#include <algorithm>

#include "surface/api/search.h"
#include "surface/api/tools.h"
#include "surface/mcp/operation_call.h"
#include "surface/mcp/tool.h"
#include "text/line_breaks.h"
#include "text/value.h"

namespace weft::mcp {
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

}  // namespace weft::mcp
