#include "surface/mcp/tool.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "surface/api/tools.h"
#include "surface/mcp/operation_call.h"
#include "surface/mcp/people.h"
#include "text/value.h"

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

}  // namespace weft::mcp
