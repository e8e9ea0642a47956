#include "flow/context/state_entities.h"

#include <string_view>
#include <unordered_set>

#include "text/stat_words.h"

namespace weft {
namespace {

using Words = std::unordered_set<std::string_view>;

bool is_value_name(const std::string& key) {
  static const Words set = {"value", "current", "cur", "now", "val", "当前", "当前值", "现值", "值", "数值"};
  return set.contains(key);
}
bool is_most_name(const std::string& key) {
  static const Words set = {"max", "maximum", "cap", "limit", "total", "上限", "最大", "最大值", "总量", "满值"};
  return set.contains(key);
}
bool is_least_name(const std::string& key) {
  static const Words set = {"min", "minimum", "下限", "最小", "最小值"};
  return set.contains(key);
}
bool names_player(const std::string& key) {
  static const Words set = {
      "player", "playercharacter", "pc",   "hero",   "protagonist", "maincharacter", "me",  "user", "self",
      "玩家",   "玩家角色",        "主角", "主人公", "我",          "自己",          "勇者"};
  return set.contains(key);
}

std::optional<double> plain_number(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value.data)) return *real;
  return std::nullopt;
}

std::string text_in(const Value& entity, std::string_view name) {
  const Value* found = entity.find(name);
  if (found == nullptr) return {};
  if (found->text() != nullptr) return *found->text();
  // Ids may be whole numbers.
  const auto* whole = std::get_if<std::int64_t>(&found->data);
  return whole != nullptr && name == "id" ? std::to_string(*whole) : std::string();
}

/// One value with its bounds, as it is written.
struct Measured {
  double value = 0;
  std::string value_name, most_name;
  std::optional<double> least, most;
  bool described = false;  ///< addressed as a whole, not by the name of its value
};

// An object that says one number and what bounds or describes it, and nothing else that counts.
std::optional<Measured> measured(const Value& value) {
  const ValueObject* members = value.object();
  if (members == nullptr) return std::nullopt;
  Measured found;
  bool other = false;
  for (const auto& [name, member] : *members) {
    if (member.list() != nullptr || member.object() != nullptr) return std::nullopt;
    const auto number = plain_number(member);
    const std::string key = name_key(name);
    if (!number) continue;
    if (is_value_name(key) && found.value_name.empty()) {
      found.value = *number;
      found.value_name = name;
    } else if (is_most_name(key) && !found.most) {
      found.most = *number;
      found.most_name = name;
    } else if (is_least_name(key) && !found.least) {
      found.least = *number;
    } else {
      other = other || name != "id";
    }
  }
  if (found.value_name.empty() || other) return std::nullopt;
  found.described = found.value_name == "value" && members->size() == 2 && value.find("description") != nullptr;
  return found;
}

class Collector {
 public:
  std::vector<StateEntity> collect(const Value& root) {
    visit(root, "", "", kNoHolder);
    if (root.object() != nullptr) {
      // Members of the root are addressed by their bare names.
      for (const auto& [name, value] : *root.object())
        if (const auto number = plain_number(value)) root_.fields.push_back({name, *number, name, {}, {}});
      if (!root_.fields.empty()) entities_.push_back(std::move(root_));
    }
    return std::move(entities_);
  }

 private:
  StateEntity& holder_of(std::uint32_t place) { return place == kNoHolder ? root_ : entities_[place]; }

  // The field that `value` is of what holds it. A described value has no anchor of its own.
  void add_measured(const Value& value, const Measured& found, const std::string& name, std::uint32_t holder) {
    const std::string own = text_in(value, "id");
    if (found.described && own.empty()) {
      const std::string& anchor = holder_of(holder).anchor;
      add_field(holder, {name, found.value, anchor.empty() ? name : anchor + "." + name, found.least, found.most});
      return;
    }
    if (own.empty()) return;
    add_field(holder, {name, found.value, own + "." + found.value_name, found.least, found.most});
    if (found.most) add_field(holder, {"max_" + name, *found.most, own + "." + found.most_name, {}, {}});
  }

  void add_field(std::uint32_t holder, NumericField field) { holder_of(holder).fields.push_back(std::move(field)); }

  std::uint32_t add_entity(const Value& value, const std::string& member, const std::string& container,
                           std::uint32_t holder) {
    StateEntity entity{text_in(value, "id"), text_in(value, "name"), {}, container, {}, holder, false, false};
    entity.group = entity.anchor.empty();
    if (entity.group && entity.name.empty()) entity.name = member;
    for (const char* field : {"aliases", "alias"}) {
      const Value* names = value.find(field);
      if (names == nullptr) continue;
      if (names->text() != nullptr) entity.aliases.push_back(*names->text());
      if (names->list() == nullptr) continue;
      for (const Value& one : *names->list())
        if (one.text() != nullptr) entity.aliases.push_back(*one.text());
    }
    for (const auto& [name, field] : *value.object())
      if (const auto number = plain_number(field); number && name != "id")
        entity.fields.push_back({name, *number, "", {}, {}});
    entity.player = is_player(value, entity, member);
    entities_.push_back(std::move(entity));
    return static_cast<std::uint32_t>(entities_.size() - 1);
  }

  static bool is_player(const Value& value, const StateEntity& entity, const std::string& member) {
    if (names_player(name_key(entity.anchor)) || names_player(name_key(entity.name)) || names_player(name_key(member)))
      return true;
    for (const std::string& alias : entity.aliases)
      if (names_player(name_key(alias))) return true;
    for (const auto& [name, field] : *value.object()) {
      const std::string key = name_key(name);
      const bool flag = key == "player" || key == "isplayer" || key == "protagonist" || key == "isprotagonist";
      if (const auto* yes = std::get_if<bool>(&field.data); yes != nullptr && *yes && flag) return true;
      const bool role =
          key == "role" || key == "type" || key == "kind" || key == "角色" || key == "身份" || key == "类型";
      if (role && field.text() != nullptr && names_player(name_key(*field.text()))) return true;
    }
    return false;
  }

  void visit(const Value& value, const std::string& member, const std::string& container, std::uint32_t holder) {
    if (const ValueList* list = value.list()) {
      for (const Value& one : *list) visit_element(one, member, container, holder);
      return;
    }
    const ValueObject* members = value.object();
    if (members == nullptr) return;
    std::uint32_t inside = holder;
    // A list's wrapping is none, and what has neither an id nor a name in its place is the state itself.
    if (!text_in(value, "id").empty() || (!member.empty() && value.find("items") == nullptr))
      inside = add_entity(value, member, container, holder);
    const std::string name = text_in(value, "name");
    for (const auto& [child_name, child] : *members) {
      if (const auto found = measured(child)) {
        add_measured(child, *found, child_name, inside);
        continue;
      }
      const bool items = child_name == "items";
      visit(child, items ? member : child_name, items ? container : name.empty() ? child_name : name, inside);
    }
  }

  void visit_element(const Value& value, const std::string& member, const std::string& container,
                     std::uint32_t holder) {
    // A statistic in a list of them: it is one by its name.
    if (const auto found = measured(value)) {
      const std::string name = text_in(value, "name");
      if (!name.empty() && !stat_of(name_key(name)).empty()) return add_measured(value, *found, name, holder);
    }
    visit(value, "", container.empty() ? member : container, holder);
  }

  std::vector<StateEntity> entities_;
  StateEntity root_;
};

}  // namespace

std::vector<StateEntity> entities_of(const Value& root) { return Collector().collect(root); }

}  // namespace weft
