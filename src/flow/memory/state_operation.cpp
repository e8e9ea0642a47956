#include "flow/memory/state_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "text/utf8.h"

namespace weft {
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

}  // namespace weft
