#include "flow/memory/state_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft {
namespace {

bool names_anchor(const Value& member, std::string_view name) {
  if (const std::string* text = member.text()) return *text == name;
  const auto* number = std::get_if<std::int64_t>(&member.data);
  return number != nullptr && std::to_string(*number) == name;
}

StateShape shape_of_list(const ValueList& list) {
  const bool plain =
      std::all_of(list.begin(), list.end(), [](const Value& e) { return shape_of_element(e) == StateShape::kValue; });
  return plain ? StateShape::kValue : StateShape::kContainer;
}

// The described value of an object with exactly the two members; null for all others. Whether it is plain is still
// open: asked for once at each level, or the time would double with each.
const Value* described_inner(const Value& value) {
  const ValueObject* members = value.object();
  if (members == nullptr || members->size() != 2) return nullptr;
  const Value* description = value.find("description");
  return description != nullptr && description->text() != nullptr ? value.find("value") : nullptr;
}

// What an object without any anchor is, by what it holds.
StateShape shape_by_members(const Value& value) {
  if (const Value* items = value.find(kContainerItems); items != nullptr && items->list() != nullptr) {
    return StateShape::kContainer;
  }
  bool holds_entity = false;
  for (const auto& [name, member] : *value.object()) {
    const StateShape shape = shape_of(member);
    if (shape == StateShape::kValue) return StateShape::kEntity;
    holds_entity |= shape == StateShape::kEntity;
  }
  return holds_entity ? StateShape::kContainer : StateShape::kGroup;
}

void append_escaped(std::string& out, std::string_view name) {
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

}  // namespace

bool is_described(const Value& value) {
  const Value* inner = described_inner(value);
  return inner != nullptr && shape_of(*inner) == StateShape::kValue;
}

StateShape shape_of(const Value& member) {
  if (const ValueList* list = member.list()) return shape_of_list(*list);
  if (member.object() == nullptr) return StateShape::kValue;
  if (const Value* inner = described_inner(member)) {
    return shape_of(*inner) == StateShape::kValue ? StateShape::kValue : StateShape::kEntity;
  }
  if (member.find(kContainerAnchor) != nullptr) return StateShape::kContainer;
  if (member.find(kEntityAnchor) != nullptr) return StateShape::kEntity;
  return shape_by_members(member);
}

StateShape shape_of_element(const Value& element) {
  if (const ValueList* list = element.list()) return shape_of_list(*list);
  if (element.object() == nullptr || is_described(element)) return StateShape::kValue;
  return element.find(kContainerAnchor) != nullptr ? StateShape::kContainer : StateShape::kEntity;
}

bool has_anchor(const Value& value, std::string_view name) {
  const ValueObject* members = value.object();
  if (members == nullptr) return false;
  return std::any_of(members->begin(), members->end(), [&](const auto& member) {
    return (member.first == kEntityAnchor || member.first == kContainerAnchor) && names_anchor(member.second, name);
  });
}

bool is_anchored(const Value& value) {
  return value.find(kContainerAnchor) != nullptr || value.find(kEntityAnchor) != nullptr;
}

std::vector<std::string> anchors_of(const Value& value) {
  std::vector<std::string> out;
  for (const std::string_view key : {kContainerAnchor, kEntityAnchor}) {
    const Value* member = value.find(key);
    if (member == nullptr) continue;
    std::string name;
    if (const std::string* text = member->text()) name = *text;
    if (const auto* number = std::get_if<std::int64_t>(&member->data)) name = std::to_string(*number);
    if (!name.empty() && (out.empty() || out.front() != name)) out.push_back(std::move(name));
  }
  return out;
}

std::size_t child_count(const Value& value) {
  if (const ValueList* list = value.list()) return list->size();
  const ValueObject* members = value.object();
  return members != nullptr ? members->size() : 0;
}

const Value& child_at(const Value& value, std::size_t position) {
  if (const ValueList* list = value.list()) return (*list)[position];
  return (*value.object())[position].second;
}

Value& child_at(Value& value, std::size_t position) {
  return const_cast<Value&>(child_at(std::as_const(value), position));
}

std::size_t position_of(const Value& object, std::string_view name) {
  const ValueObject* members = object.object();
  if (members == nullptr) return child_count(object);
  std::size_t at = 0;
  while (at < members->size() && (*members)[at].first != name) ++at;
  return at;
}

const Value* value_at(const Value& root, const StatePath& path) {
  const Value* at = &root;
  for (const std::uint32_t step : path) {
    if (step >= child_count(*at)) return nullptr;
    at = &child_at(*at, step);
  }
  return at;
}

Value* value_at(Value& root, const StatePath& path) { return const_cast<Value*>(value_at(std::as_const(root), path)); }

std::size_t depth_of(const Value& value, std::size_t max) {
  if (max == 0) return 1;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < child_count(value); ++i)
    deepest = std::max(deepest, depth_of(child_at(value, i), max - 1));
  return deepest + 1;
}

std::size_t size_of(const Value& value) {
  if (const std::string* text = value.text()) return text->size() + 3;
  std::size_t size = 8;
  if (const ValueObject* members = value.object()) {
    for (const auto& [name, member] : *members) size += name.size() + 4 + size_of(member);
  } else if (const ValueList* list = value.list()) {
    for (const Value& element : *list) size += size_of(element);
  }
  return size;
}

std::string pointer_to(const Value& root, const StatePath& path) {
  std::string out;
  const Value* at = &root;
  for (const std::uint32_t step : path) {
    out += '/';
    if (const ValueObject* members = at->object()) {
      append_escaped(out, (*members)[step].first);
    } else {
      out += std::to_string(step);
    }
    at = &child_at(*at, step);
  }
  return out;
}

namespace {

using Kind = StateOperation::Kind;

constexpr std::size_t kMaxPathBytes = 1024;

struct Form {
  Kind kind;
  std::string_view name;
  std::size_t min_parts, max_parts;
  std::string_view example;
};

constexpr std::array<Form, 5> kForms{{
    {Kind::kSet, "SET", 3, 3, R"(["SET","ENTITY.field",value])"},
    {Kind::kPush, "PUSH", 3, 3, R"(["PUSH","ANCHOR",value])"},
    {Kind::kAdd, "ADD", 3, 3, R"(["ADD","ENTITY.field",number])"},
    {Kind::kPop, "POP", 2, 3, R"(["POP","ANCHOR"] or ["POP","ANCHOR",index or id])"},
    {Kind::kDelete, "DELETE", 2, 2, R"(["DELETE","ENTITY"] or ["DELETE","ENTITY.field"])"},
}};

const Form* form_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), to_upper<char>);
  const auto found = std::find_if(kForms.begin(), kForms.end(), [&](const Form& form) { return form.name == name; });
  return found != kForms.end() ? &*found : nullptr;
}

Result<StateOperation> read_operation(Value& written, std::size_t number) {
  const std::string where = fmt::format("operation {}", number);
  ValueList* parts = written.list();
  if (parts == nullptr || parts->empty() || parts->front().text() == nullptr) {
    return invalid_argument(where + " is not an array that begins with its name",
                            fmt::format("write it as {}", kForms.front().example));
  }
  const std::string& name = *parts->front().text();
  const Form* form = form_of(name);
  if (form == nullptr) {
    return invalid_argument(fmt::format("{}: there is no operation \"{}\"", where, preview(name, 40)),
                            "there are SET, PUSH, ADD, POP and DELETE");
  }
  if (parts->size() < form->min_parts || parts->size() > form->max_parts || (*parts)[1].text() == nullptr) {
    return invalid_argument(fmt::format("{}: {} does not have its form", where, form->name),
                            fmt::format("write it as {}", form->example));
  }
  StateOperation operation{.kind = form->kind, .path = *(*parts)[1].text(), .value = {}};
  if (operation.path.size() > kMaxPathBytes) return too_large(fmt::format("{}: the path is too long", where));
  if (parts->size() == 3) operation.value = std::move(parts->back());
  return operation;
}

}  // namespace

std::string_view to_string(StateOperation::Kind kind) {
  return std::find_if(kForms.begin(), kForms.end(), [&](const Form& form) { return form.kind == kind; })->name;
}

Result<std::vector<StateOperation>> parse_state_operations(std::string_view json, const StateChangeLimits& limits) {
  WEFT_TRY(Value written, parse_value(json, {.max_bytes = limits.max_bytes}, "operations"));
  ValueList* list = written.list();
  if (list == nullptr) {
    return invalid_argument("operations: not an array", fmt::format("write [{}]", kForms.front().example));
  }
  if (!list->empty() && list->front().text() != nullptr) {
    ValueList alone;
    alone.push_back(std::move(written));
    written = std::move(alone);
    list = written.list();
  }
  if (list->size() > limits.max_operations) {
    return too_large(
        fmt::format("operations: {} of them, at most {} are taken at once", list->size(), limits.max_operations),
        "split the change");
  }
  std::vector<StateOperation> operations;
  for (Value& element : *list) {
    WEFT_TRY(auto operation, read_operation(element, operations.size() + 1));
    operations.push_back(std::move(operation));
  }
  return operations;
}

std::string to_json(const std::vector<StateOperation>& operations) {
  ValueList list;
  for (const StateOperation& operation : operations) {
    ValueList parts{std::string(to_string(operation.kind)), operation.path};
    if (operation.value) parts.push_back(*operation.value);
    list.emplace_back(std::move(parts));
  }
  return to_json(Value(std::move(list)));
}

namespace {

// They come from the store, where a whole tree may stand in one.
constexpr JsonLimits kLimits{.max_bytes = std::size_t{256} << 20, .max_depth = 128};

Error broken(std::size_t number) { return corrupt(fmt::format("undo record: step {} cannot be read", number)); }

std::optional<StatePath> read_path(const Value& value) {
  const ValueList* list = value.list();
  if (list == nullptr) return std::nullopt;
  StatePath path;
  for (const Value& step : *list) {
    const auto* number = std::get_if<std::int64_t>(&step.data);
    if (number == nullptr || *number < 0 || *number > UINT32_MAX) return std::nullopt;
    path.push_back(static_cast<std::uint32_t>(*number));
  }
  return path;
}

std::optional<StateEdit> read_edit(Value& value) {
  ValueList* parts = value.list();
  if (parts == nullptr || parts->size() < 2 || parts->front().text() == nullptr) return std::nullopt;
  const std::string kind = *parts->front().text();
  auto path = read_path((*parts)[1]);
  if (!path) return std::nullopt;
  StateEdit edit{.path = *std::move(path), .name = {}, .value = {}};
  if (kind == "replace" && parts->size() == 3) {
    edit.value = std::move(parts->back());
  } else if (kind == "insert" && parts->size() == 4 && (*parts)[2].text() != nullptr) {
    edit.kind = StateEdit::Kind::kInsert;
    edit.name = *(*parts)[2].text();
    edit.value = std::move(parts->back());
  } else if (kind == "remove" && parts->size() == 2) {
    edit.kind = StateEdit::Kind::kRemove;
  } else {
    return std::nullopt;
  }
  return edit;
}

}  // namespace

std::string to_json(const std::vector<StateEdit>& edits) {
  std::string out = "[";
  for (const StateEdit& edit : edits) {
    if (out.size() > 1) out += ',';
    ValueList path(edit.path.size());
    for (std::size_t i = 0; i < path.size(); ++i) path[i] = std::int64_t{edit.path[i]};
    const std::string place = to_json(Value(std::move(path)));
    switch (edit.kind) {
      case StateEdit::Kind::kReplace: out += fmt::format("[\"replace\",{},{}]", place, to_json(edit.value)); break;
      case StateEdit::Kind::kRemove: out += fmt::format("[\"remove\",{}]", place); break;
      case StateEdit::Kind::kInsert:
        out += fmt::format("[\"insert\",{},{},{}]", place, to_json(Value(edit.name)), to_json(edit.value));
        break;
    }
  }
  return out + "]";
}

Result<std::vector<StateEdit>> parse_state_edits(std::string_view json) {
  auto value = parse_value(json, kLimits, "undo record");
  if (!value.ok()) return corrupt(value.error().message);
  ValueList* list = value->list();
  if (list == nullptr) return corrupt("undo record: not an array");
  std::vector<StateEdit> edits;
  for (Value& element : *list) {
    auto edit = read_edit(element);
    if (!edit) return broken(edits.size() + 1);
    edits.push_back(*std::move(edit));
  }
  return edits;
}

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::string_view kFence = "```";

// One operation alone is a list of one.
Value list_of(Value read) {
  ValueList* list = read.list();
  if (list != nullptr && !list->empty() && list->front().text() != nullptr) return ValueList{std::move(read)};
  return read;
}

void add(std::vector<AnswerOperations>& all, std::string state, std::string_view body) {
  auto at = std::find_if(all.begin(), all.end(), [&](const AnswerOperations& one) { return one.state == state; });
  if (at == all.end()) at = all.insert(all.end(), {std::move(state), "[]", ""});
  if (!at->problem.empty()) return;
  auto read = parse_value(body, {.max_bytes = kMostBytes}, "the state block");
  if (!read.ok() || read->list() == nullptr) {
    at->problem = read.ok() ? "the state block is no JSON array of operations" : read.error().message;
    at->operations.clear();
    return;
  }
  Value known = parse_value(at->operations, {.max_bytes = at->operations.size() + 1}, "operations").value_or(Value());
  Value more = list_of(std::move(*read));
  for (Value& one : *more.list()) known.list()->push_back(std::move(one));
  at->operations = to_json(known);
}

}  // namespace

std::vector<AnswerOperations> operations_in_answer(std::string_view answer, std::string_view usual) {
  std::vector<AnswerOperations> all;
  bool inside = false, ours = false;
  std::string state, body;
  for (const std::string_view line : lines_of(answer)) {
    const std::string_view said = trimmed(line);
    if (!said.starts_with(kFence)) {
      if (ours) body.append(line).append("\n");
      continue;
    }
    if (inside) {
      if (ours) add(all, state, body);
      inside = ours = false;
      continue;
    }
    inside = true;
    std::string_view info = trimmed(said.substr(kFence.size()));
    const std::string_view word = info.substr(0, info.find(' '));
    ours = word == "state";
    info.remove_prefix(word.size());
    state = trimmed(info).empty() ? std::string(usual) : std::string(trimmed(info));
    body.clear();
  }
  if (ours) add(all, state, body);
  return all;
}

std::string without_state_blocks(std::string_view answer) {
  std::string text;
  bool inside = false, ours = false;
  for (const std::string_view line : lines_of(answer)) {
    const std::string_view said = trimmed(line);
    const bool fence = said.starts_with(kFence);
    if (fence && !inside) {
      const std::string_view info = trimmed(said.substr(kFence.size()));
      ours = info.substr(0, info.find(' ')) == "state";
    }
    if (!ours) text.append(line).append("\n");
    if (!fence) continue;
    if (inside) ours = false;
    inside = !inside;
  }
  if (!answer.ends_with('\n') && text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace weft
