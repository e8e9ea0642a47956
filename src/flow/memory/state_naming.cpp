#include "flow/memory/state_naming.h"

#include <utility>

#include "base/ascii.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxBytes = 48;

// Letters and digits, roughly: what is refused are signs, spaces, controls and pictures. Anchors are read by models and
// typed by people, so that the finer points of Unicode do not matter here.
bool is_name_character(char32_t c) {
  if (c < 0x80) return is_digit(c) || is_letter(c);
  const bool is_sign = c < 0xC0 || c == 0xD7 || c == 0xF7 || c == 0x61C || c == 0x180E ||
                       (c >= 0x2000 && c <= 0x2BFF) || (c >= 0x3000 && c <= 0x3020 && c != 0x3005) ||
                       (c >= 0xD800 && c <= 0xF8FF) || (c >= 0xFE00 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF0F) ||
                       (c >= 0xFF1A && c <= 0xFF20) || (c >= 0xFF3B && c <= 0xFF40) || (c >= 0xFF5B && c <= 0xFF65) ||
                       (c >= 0xFFE0 && c <= 0xFFFF) || (c >= 0x1F000 && c <= 0x1FFFF) || c >= 0xE0000;
  return !is_sign;
}

std::string name_of_element(const Value& element, const std::string& container) {
  for (const std::string_view key : {"name", "title"}) {
    const Value* member = element.find(key);
    if (member != nullptr && member->text() != nullptr && !member->text()->empty()) return anchor_from(*member->text());
  }
  return container.empty() ? "item" : container + "_item";
}

}  // namespace

std::string anchor_from(std::string_view name) {
  std::string out;
  bool gap = false;
  for (std::size_t at = 0; at < name.size() && out.size() < kMaxBytes;) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(name, at);
    if (!is_name_character(c)) {
      gap = !out.empty();
      continue;
    }
    if (std::exchange(gap, false)) out += '_';
    if (c < 0x80) {
      out += static_cast<char>(to_lower(c));
    } else {
      out += name.substr(begin, at - begin);
    }
  }
  return out.empty() ? "item" : out;
}

void AnchorGiver::give_root(Value& root) {
  index_.reserve(root);
  for (const auto& [name, member] : *root.object()) index_.add_root_member(name);
  for (auto& [name, member] : *root.object()) give_member(member, name, {.anchor = {}, .is_root = true});
}

void AnchorGiver::give_member(Value& member, const std::string& name, const AnchorOwner& owner) {
  const StateShape shape = shape_of(member);
  if (shape == StateShape::kValue) return;
  if (shape == StateShape::kGroup) {
    for (auto& [inner, value] : *member.object()) give_member(value, inner, {owner.anchor, owner.is_entity});
    return;
  }
  std::string base = anchor_from(name);
  if (owner.is_entity) base = owner.anchor + "_" + base;
  const std::string_view own = owner.is_root ? std::string_view(name) : std::string_view();
  if (member.list() != nullptr) return give_list(member, base, own);
  give_object(member, shape == StateShape::kEntity ? kEntityAnchor : kContainerAnchor, base, own);
}

void AnchorGiver::give_element(Value& element, const std::string& container) {
  const StateShape shape = shape_of_element(element);
  if (shape == StateShape::kValue) return;
  const std::string base = name_of_element(element, container);
  if (element.list() != nullptr) return give_list(element, base, {});
  give_object(element, shape == StateShape::kEntity ? kEntityAnchor : kContainerAnchor, base, {});
}

void AnchorGiver::give_object(Value& object, std::string_view key, const std::string& base, std::string_view own) {
  ValueObject& members = *object.object();
  if (!is_anchored(object)) members.emplace(members.begin(), std::string(key), index_.free_name(base, own));
  const std::string anchor = anchors_of(object).front();
  const bool is_container = object.find(kContainerAnchor) != nullptr;
  for (auto& [name, member] : members) {
    if (ValueList* items = member.list(); is_container && name == kContainerItems && items != nullptr) {
      for (Value& element : *items) give_element(element, anchor);
    } else {
      give_member(member, name, {anchor, !is_container});
    }
  }
}

void AnchorGiver::give_list(Value& list, const std::string& base, std::string_view own) {
  std::string anchor = index_.free_name(base, own);
  for (Value& element : *list.list()) give_element(element, anchor);
  ValueObject wrapped;
  wrapped.emplace_back(std::string(kContainerAnchor), std::move(anchor));
  wrapped.emplace_back(std::string(kContainerItems), std::move(list));
  list = std::move(wrapped);
}

}  // namespace weft
