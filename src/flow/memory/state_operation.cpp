#include "flow/memory/state_operation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
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

}  // namespace weft
