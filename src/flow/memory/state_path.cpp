#include "flow/memory/state_path.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "text/utf8.h"

namespace weft {
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
