#include "flow/memory/state_shape.h"

#include <algorithm>
#include <utility>

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

}  // namespace weft
