#include "flow/memory/state_edit.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace weft {
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
