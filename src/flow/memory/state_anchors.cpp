#include "flow/memory/state_anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kComparedBytes = 64;
constexpr std::size_t kMaxDigits = 9;

// Looks for the anchor from the hint outwards: siblings that came or went moved it by a few positions.
std::optional<std::uint32_t> find_around(const Value& within, std::uint32_t hint, std::string_view anchor) {
  const std::size_t count = child_count(within);
  if (count == 0) return std::nullopt;
  std::size_t down = std::min<std::size_t>(hint, count - 1), up = down + 1;
  for (bool below = true; below || up < count;) {
    if (below) {
      if (has_anchor(child_at(within, down), anchor)) return static_cast<std::uint32_t>(down);
      below = down-- > 0;
    }
    if (up < count) {
      if (has_anchor(child_at(within, up), anchor)) return static_cast<std::uint32_t>(up);
      ++up;
    }
  }
  return std::nullopt;
}

// Walks through everything below `within` that has no anchor of its own.
bool find_below(const Value& within, std::string_view anchor, StatePath& path) {
  for (std::size_t i = 0; i < child_count(within); ++i) {
    const Value& child = child_at(within, i);
    path.push_back(static_cast<std::uint32_t>(i));
    if (has_anchor(child, anchor)) return true;
    if (!is_anchored(child) && find_below(child, anchor, path)) return true;
    path.pop_back();
  }
  return false;
}

class OwnAnchors {
 public:
  Status check(const Value& value, std::string& at) {
    if (const ValueObject* members = value.object(); members != nullptr) {
      WEFT_CHECK(check_object(value, at));
      for (const auto& [name, member] : *members) WEFT_CHECK(check_child(member, name, at));
    } else if (const ValueList* list = value.list()) {
      for (std::size_t i = 0; i < list->size(); ++i) WEFT_CHECK(check_child((*list)[i], std::to_string(i), at));
    }
    return {};
  }

 private:
  Status check_child(const Value& child, std::string_view step, std::string& at) {
    if (child.list() == nullptr && child.object() == nullptr) return {};
    const std::size_t before = at.size();
    at.append("/").append(step);
    WEFT_CHECK(check(child, at));
    at.resize(before);
    return {};
  }

  Status check_object(const Value& value, const std::string& at) {
    for (const std::string_view key : {kEntityAnchor, kContainerAnchor}) {
      const Value* member = value.find(key);
      if (member == nullptr) continue;
      const std::string* text = member->text();
      const bool usable = text != nullptr ? !text->empty() : std::holds_alternative<std::int64_t>(member->data);
      if (!usable) {
        return invalid_argument(fmt::format("{}/{}: an anchor is a text that is not empty, or a whole number", at, key),
                                fmt::format("leave \"{}\" out and one is made", key));
      }
    }
    for (const std::string& name : anchors_of(value)) {
      const auto [known, is_new] = places_.emplace(name, at);
      if (!is_new) {
        return conflict(fmt::format("the anchor \"{}\" stands twice: at {} and at {}", preview(name, 80),
                                    known->second.empty() ? "the root" : known->second, at));
      }
    }
    return {};
  }

  std::unordered_map<std::string, std::string> places_;
};

}  // namespace

std::optional<StatePath> AnchorIndex::locate(const Value& root, std::string_view anchor) const {
  const auto found = places_.find(std::string(anchor));
  if (found == places_.end()) return std::nullopt;
  const Place& place = found->second;
  StatePath path;
  if (!place.parent.empty()) {
    auto above = locate(root, place.parent);
    if (!above) return std::nullopt;
    path = *std::move(above);
  }
  if (place.steps.empty()) return path;
  const Value& parent = *value_at(root, path);
  const std::size_t base = path.size();
  path.insert(path.end(), place.steps.begin(), place.steps.end() - 1);
  if (const Value* within = value_at(root, path)) {
    if (const auto at = find_around(*within, place.steps.back(), anchor)) {
      path.push_back(*at);
      return path;
    }
  }
  // What stands between the two was moved.
  path.resize(base);
  if (!find_below(parent, anchor, path)) return std::nullopt;
  return path;
}

bool AnchorIndex::collect(const Value& value, std::unordered_set<std::string>& names, std::string& clash) const {
  for (const std::string& name : anchors_of(value)) {
    if (places_.contains(name) || !names.insert(name).second) {
      clash = name;
      return false;
    }
  }
  for (std::size_t i = 0; i < child_count(value); ++i) {
    if (!collect(child_at(value, i), names, clash)) return false;
  }
  return true;
}

std::optional<std::string> AnchorIndex::add(const Value& root, const StatePath& path) {
  const Value& value = *value_at(root, path);
  std::unordered_set<std::string> names;
  if (std::string clash; !collect(value, names, clash)) return clash;
  std::string parent;
  StatePath steps;
  const Value* at = &root;
  for (const std::uint32_t step : path) {
    if (at != &root && is_anchored(*at)) {
      parent = anchors_of(*at).front();
      steps.clear();
    }
    steps.push_back(step);
    at = &child_at(*at, step);
  }
  if (path.empty()) {
    if (const ValueObject* members = root.object()) {
      for (const auto& [name, member] : *members) add_root_member(name);
    }
  }
  add(value, parent, steps);
  return std::nullopt;
}

void AnchorIndex::add(const Value& value, const std::string& parent, StatePath& steps) {
  const std::vector<std::string> anchors = anchors_of(value);
  for (const std::string& name : anchors) places_.emplace(name, Place{parent, steps});
  StatePath own;
  const bool is_parent = !anchors.empty() && !steps.empty();
  StatePath& below = is_parent ? own : steps;
  for (std::size_t i = 0; i < child_count(value); ++i) {
    const Value& child = child_at(value, i);
    if (child_count(child) == 0) continue;
    below.push_back(static_cast<std::uint32_t>(i));
    add(child, is_parent ? anchors.front() : parent, below);
    below.pop_back();
  }
}

void AnchorIndex::remove(const Value& value, const StatePath& path) {
  if (path.empty()) {
    places_.clear();
    root_members_.clear();
    next_number_.clear();
    return;
  }
  drop(value);
}

void AnchorIndex::drop(const Value& value) {
  for (const std::string& name : anchors_of(value)) {
    places_.erase(name);
    release(name);
  }
  for (std::size_t i = 0; i < child_count(value); ++i) drop(child_at(value, i));
}

void AnchorIndex::remove_root_member(const std::string& name) {
  root_members_.erase(name);
  release(name);
}

void AnchorIndex::release(const std::string& name) {
  const std::size_t line = name.rfind('_');
  if (line == std::string::npos || name.size() - line - 1 > kMaxDigits) return;
  std::uint64_t number = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + line + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 2 || name[line + 1] == '0') return;
  const auto found = next_number_.find(name.substr(0, line));
  if (found != next_number_.end()) found->second = std::min(found->second, number);
}

void AnchorIndex::reserve(const Value& value) {
  for (std::string& name : anchors_of(value)) reserved_.insert(std::move(name));
  for (std::size_t i = 0; i < child_count(value); ++i) reserve(child_at(value, i));
}

void AnchorIndex::settle() {
  for (const std::string& name : reserved_) {
    if (!places_.contains(name)) release(name);
  }
  reserved_.clear();
}

std::string AnchorIndex::free_name(const std::string& base, std::string_view own) {
  const auto is_free = [&](const std::string& name) {
    return !places_.contains(name) && !reserved_.contains(name) && (name == own || !root_members_.contains(name));
  };
  if (is_free(base)) return *reserved_.insert(base).first;
  std::uint64_t& next = next_number_.try_emplace(base, 2).first->second;
  for (;; ++next) {
    std::string name = base + "_" + std::to_string(next);
    if (is_free(name)) return *reserved_.insert(std::move(name)).first;
  }
}

std::string AnchorIndex::nearest(std::string_view anchor) const {
  anchor = cut_bytes(anchor, kComparedBytes);
  std::string best;
  std::size_t distance = anchor.size() / 3 + 2;  // farther is another name
  for (const auto& [name, place] : places_) {
    if (name.size() > kComparedBytes || name.size() + distance < anchor.size() ||
        anchor.size() + distance < name.size()) {
      continue;
    }
    const std::size_t now = edit_distance(anchor, name);
    if (now < distance || (now == distance && !best.empty() && name < best)) {
      distance = now;
      best = name;
    }
  }
  return best;
}

Status check_own_anchors(const Value& value, const std::string& at) {
  std::string path = at;
  return OwnAnchors().check(value, path);
}

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

namespace {

constexpr std::size_t kMaxSegments = 64;
constexpr std::size_t kShown = 120;

std::optional<std::uint32_t> read_position(std::string_view text) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return number;
}

bool is_items_container(const Value& value) {
  const Value* items = value.find(kContainerItems);
  return value.find(kContainerAnchor) != nullptr && items != nullptr && items->list() != nullptr;
}

// Goes one step down; through a container right into its items where the step is a number.
bool step_down(const Value*& at, StatePath& path, std::string_view step) {
  if (at->object() != nullptr) {
    const std::size_t position = position_of(*at, step);
    if (position < child_count(*at)) {
      path.push_back(static_cast<std::uint32_t>(position));
      at = &child_at(*at, position);
      return true;
    }
    if (!is_items_container(*at) || !read_position(step)) return false;
    const std::size_t items = position_of(*at, kContainerItems);
    if (*read_position(step) >= child_count(child_at(*at, items))) return false;
    path.push_back(static_cast<std::uint32_t>(items));
    at = &child_at(*at, items);
  }
  const auto position = read_position(step);
  if (at->list() == nullptr || !position || *position >= child_count(*at)) return false;
  path.push_back(*position);
  at = &child_at(*at, *position);
  return true;
}

std::string unescape(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escaped = token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    out += escaped ? (token[++i] == '0' ? '~' : '/') : token[i];
  }
  return out;
}

// "a.b[0].c" as a, b, 0, c.
std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty() && out.size() < kMaxSegments) {
    const std::size_t end = std::min(path.find_first_of(".[]"), path.size());
    if (end > 0) out.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

}  // namespace

// What is no pointer.
std::optional<StateTarget> StatePathReader::find(std::string_view path) const {
  if (auto place = index_.locate(root_, path)) {
    return StateTarget{.path = *std::move(place), .new_member = {}, .by_anchor = true};
  }
  const std::size_t member = position_of(root_, path);
  if (member < child_count(root_)) return StateTarget{.path = {static_cast<std::uint32_t>(member)}, .new_member = {}};
  return read_field(path);
}

Result<StateTarget> StatePathReader::read(std::string_view path) const {
  if (path.empty()) return StateTarget{.path = {}, .new_member = {}, .by_anchor = true};
  if (path.front() == '/' && !index_.contains(path)) return read_pointer(path);
  if (auto target = find(path)) return *std::move(target);
  return deep_or_unknown(path);
}

Result<StateTarget> StatePathReader::read_pointer(std::string_view pointer) const {
  const Value* at = &root_;
  StateTarget target;
  for (std::string_view rest = pointer; !rest.empty();) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string step = unescape(rest.substr(0, end));
    rest.remove_prefix(end);
    if (step_down(at, target.path, step)) continue;
    if (!rest.empty() || at->object() == nullptr) {
      return not_found(fmt::format("\"{}\" leads nowhere: there is no \"{}\" in \"{}\"", preview(pointer, kShown),
                                   preview(step, 40), pointer_to(root_, target.path)));
    }
    target.exists = false;
    target.new_member = step;
  }
  // An element is named itself, a member is a field of its owner.
  const Value* parent = nullptr;
  if (target.exists && !target.path.empty()) {
    parent = value_at(root_, StatePath(target.path.begin(), target.path.end() - 1));
  }
  target.by_anchor = parent != nullptr && parent->list() != nullptr && is_anchored(*at);
  return target;
}

std::optional<StateTarget> StatePathReader::read_field(std::string_view path) const {
  // The longest anchor first: anchors and fields may have dots themselves.
  for (std::size_t dot = path.rfind('.'); dot != std::string_view::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    auto owner = index_.locate(root_, path.substr(0, dot));
    if (!owner) continue;
    const std::string_view field = path.substr(dot + 1);
    const Value& value = *value_at(root_, *owner);
    const std::size_t position = position_of(value, field);
    StateTarget target{.path = *std::move(owner), .new_member = {}};
    if (position < child_count(value)) {
      target.path.push_back(static_cast<std::uint32_t>(position));
      return target;
    }
    if (field.empty() || field.find_first_of(".[]") != std::string_view::npos) return std::nullopt;
    target.exists = false;
    target.new_member = field;
    return target;
  }
  return std::nullopt;
}

Error StatePathReader::unknown(std::string_view anchor) const {
  const std::string near = index_.nearest(anchor);
  return not_found(fmt::format("unknown anchor \"{}\"", preview(anchor, kShown)),
                   near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
}

Error StatePathReader::deep_or_unknown(std::string_view path) const {
  const bool is_flat = path.find_first_of(".[") == std::string_view::npos;
  if (is_flat) return unknown(path);
  const std::string instead = suggestion(path);
  const bool has_one_field = std::count(path.begin(), path.end(), '.') == 1 && path.find('[') == std::string_view::npos;
  if (instead.empty() && has_one_field) return unknown(path.substr(0, path.find('.')));
  if (instead.empty()) {
    return invalid_argument(fmt::format("deep path \"{}\"", preview(path, kShown)),
                            "a path is an anchor and at most one field, as in \"item_sword_01.count\"");
  }
  return invalid_argument(fmt::format("deep path \"{}\": use \"{}\"", preview(path, kShown), instead),
                          "a path is an anchor and at most one field");
}

std::string StatePathReader::suggestion(std::string_view path) const {
  const auto segments = segments_of(path);
  StatePath best;
  std::size_t best_known = 0, best_end = 0;
  // Models put a root before the path that the state does not have: any segment may be where it begins.
  for (std::size_t begin = 0; begin < segments.size(); ++begin) {
    StatePath place;
    const Value* at = &root_;
    std::size_t next = begin;
    if (auto anchored = index_.locate(root_, segments[begin])) {
      place = *std::move(anchored);
      at = value_at(root_, place);
      ++next;
    }
    while (next < segments.size() && step_down(at, place, segments[next])) ++next;
    if (next - begin > best_known) {
      best_known = next - begin;
      best_end = next;
      best = std::move(place);
    }
  }
  if (best_known == 0) return {};
  // The field itself may be new.
  if (best_end + 1 == segments.size() && is_anchored(*value_at(root_, best))) {
    return field_path(best, segments.back());
  }
  return flat(best);
}

std::string StatePathReader::field_path(const StatePath& owner, std::string_view member) const {
  if (owner.empty()) return index_.contains(member) ? std::string() : std::string(member);
  const auto anchors = anchors_of(*value_at(root_, owner));
  return anchors.empty() ? std::string() : fmt::format("{}.{}", anchors.front(), member);
}

std::string StatePathReader::flat(const StatePath& path) const {
  const auto anchors = anchors_of(*value_at(root_, path));
  if (!anchors.empty()) return anchors.front();
  return flat(StateTarget{.path = path, .new_member = {}});
}

std::string StatePathReader::flat(const StateTarget& target) const {
  const Value& value = *value_at(root_, target.path);
  if (target.by_anchor && is_anchored(value)) return anchors_of(value).front();
  std::string out;
  if (!target.exists) {
    // A new member of the root has no flat path: a mistyped name would make one.
    if (!target.path.empty()) out = field_path(target.path, target.new_member);
  } else if (!target.path.empty()) {
    const StatePath owner(target.path.begin(), target.path.end() - 1);
    const Value& holder = *value_at(root_, owner);
    if (holder.object() != nullptr) out = field_path(owner, (*holder.object())[target.path.back()].first);
  }
  // Dots in names may give it another meaning.
  const auto again = out.empty() ? std::nullopt : find(out);
  if (again && again->path == target.path && again->exists == target.exists && again->by_anchor == target.by_anchor &&
      out.front() != '/') {
    return out;
  }
  out = pointer_to(root_, target.path);
  if (target.exists) return out;
  std::string escaped;
  for (const char c : target.new_member) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out + "/" + escaped;
}

}  // namespace weft
