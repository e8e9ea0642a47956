#include "flow/context/state_target.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "text/json.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/words.h"

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

namespace {

// Names of one statistic are one key; the mark keeps it apart from a thing that is called so.
std::string meaning_of(const std::string& key) {
  const std::string_view stat = stat_of(key);
  return stat.empty() ? key : "\x01" + std::string(stat);
}

// Words for the player's own figure in talk.
bool says_player(std::string_view key) {
  static const LexiconWords set = lexicon_both_words("games", "player");
  return set.contains(key);
}

// Where one carries things oneself.
bool names_own_container(std::string_view key) {
  static const LexiconWords set = lexicon_both_words("games", "own containers");
  return set.contains(key);
}

bool is_whole(double number) { return std::floor(number) == number; }

nlohmann::ordered_json number_json(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (is_whole(number) && std::abs(number) < kExact) return static_cast<std::int64_t>(number);
  return number;
}

// A maximum beside the field: "max_hp", "hp_max", "maximum hp", 最大生命值, 生命值上限.
double maximum_of(const StateEntity& entity, const std::string& field) {
  const std::string key = name_key(field);
  for (const NumericField& other : entity.fields) {
    const std::string name = name_key(other.name);
    for (const std::string& most : {"max" + key, key + "max", "maximum" + key, "最大" + key, key + "上限"}) {
      if (name == most) return other.value;
    }
  }
  return std::numeric_limits<double>::infinity();
}

// What forbids a change, if anything does.
std::optional<NumberDoubt> out_of_bounds(const StateEntity& entity, const NumericField& field,
                                         const NumberChange& change) {
  NumberDoubt doubt;
  doubt.what = change.called;
  doubt.wanted = change.after;
  doubt.numbers.push_back({entity.name.empty() ? entity.anchor : entity.name, field.name, change.before});
  const double least = field.least.value_or(0);
  const double most = field.most.value_or(maximum_of(entity, field.name));
  if (!std::isfinite(change.after) || (change.after > most && change.after > change.before)) {
    doubt.why = NumberDoubt::kAboveMost;
    doubt.bound = most;
    return doubt;
  }
  if (change.after < least && change.before >= least) {
    doubt.why = NumberDoubt::kBelowLeast;
    doubt.bound = least;
    return doubt;
  }
  if (!is_count_field(name_key(field.name)) || is_whole(change.after)) return std::nullopt;
  doubt.why = NumberDoubt::kNotWhole;
  return doubt;
}

Error refusal(const NumberDoubt& doubt) {
  const std::string what = "\"" + doubt.what + "\"";
  switch (doubt.why) {
    case NumberDoubt::kUnknown: return not_found("the state has no number for " + what);
    case NumberDoubt::kAmbiguous:
      return conflict(what + " may mean " + std::to_string(doubt.numbers.size()) + " numbers of the state");
    case NumberDoubt::kBelowLeast: return invalid_argument(what + " would fall below its least value");
    case NumberDoubt::kAboveMost: return invalid_argument(what + " would rise above its maximum");
    case NumberDoubt::kNotWhole: return invalid_argument(what + " counts whole things");
  }
  return internal("unknown doubt");
}

bool called_alike(const StateEntity& a, const StateEntity& b) {
  return a.anchor == b.anchor && a.name == b.name && a.aliases == b.aliases && a.container == b.container &&
         a.holder == b.holder && a.player == b.player &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    [](const NumericField& one, const NumericField& other) {
                      return one.name == other.name && one.path == other.path;
                    });
}

}  // namespace

// What stands for which entity and field; the numbers themselves are not in it.
class StateIndex::Names {
 public:
  const Names& made_from(const std::vector<StateEntity>& entities) {
    std::call_once(made_, [&] {
      for (std::uint32_t i = 0; i < entities.size(); ++i) add(i, entities[i]);
    });
    return *this;
  }

  std::unordered_map<std::string, Entities> whole;  // by the key of a whole name or alias
  std::unordered_map<std::string, Entities> ends;   // by the keys of the last words of names
  std::unordered_map<std::string, Places> fields;   // by statistic or key of the field
  const std::uint64_t number = next_number();

 private:
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  void add(std::uint32_t place, const StateEntity& entity) {
    add_name(place, entity.name);
    add_name(place, entity.anchor);
    for (const std::string& alias : entity.aliases) add_name(place, alias);
    for (std::uint32_t f = 0; f < entity.fields.size(); ++f) {
      const std::string key = name_key(entity.fields[f].name);
      if (!key.empty() && !is_count_field(key)) fields[meaning_of(key)].push_back({place, f});
    }
  }

  void add_name(std::uint32_t entity, const std::string& name) {
    const auto put = [entity](auto& map, const std::string& key) {
      Entities& list = map[key];
      if (list.empty() || list.back() != entity) list.push_back(entity);
    };
    constexpr std::size_t kLongestName = 200;
    if (name.empty() || name.size() > kLongestName) return;
    const std::string key = name_key(name);
    if (key.empty()) return;
    put(whole, meaning_of(key));
    // The head of "potion of healing" stands before "of".
    auto words = plain_words(name);
    const auto of = std::find_if(words.begin(), words.end(), [](const PlainWord& word) { return word.text == "of"; });
    words.erase(of, words.end());
    constexpr std::size_t kMostWords = 12;
    std::string spoken;
    for (std::size_t i = words.size(); i > 0 && words.size() - i < kMostWords; --i) {
      const bool han = words[i - 1].kind == WordKind::kHan;
      spoken = words[i - 1].text + (spoken.empty() || han ? "" : " ") + spoken;
      // One Chinese character ends too many names.
      if (han && i == words.size()) continue;
      put(ends, name_key(spoken));
    }
  }

  std::once_flag made_;
};

StateIndex::StateIndex(std::vector<StateEntity> entities)
    : entities_(std::move(entities)), names_(std::make_shared<Names>()) {}

StateIndex::StateIndex(std::vector<StateEntity> entities, const StateIndex& earlier)
    : entities_(std::move(entities)),
      names_(std::equal(entities_.begin(), entities_.end(), earlier.entities_.begin(), earlier.entities_.end(),
                        called_alike)
                 ? earlier.names_
                 : std::make_shared<Names>()) {}

const StateIndex::Names& StateIndex::names() const { return names_->made_from(entities_); }

std::uint64_t StateIndex::names_number() const { return names_->number; }

StateIndex::Places StateIndex::counted(const Entities& entities) const {
  Places places;
  for (const std::uint32_t entity : entities) {
    const auto& fields = entities_[entity].fields;
    std::uint32_t found = 0, counts = 0;
    for (std::uint32_t f = 0; f < fields.size(); ++f) {
      if (!is_count_field(name_key(fields[f].name))) continue;
      found = f;
      ++counts;
    }
    // A thing with one number and no word for it ("Gold" with "value") is counted by that.
    if (counts == 0 && fields.size() == 1) {
      found = 0;
      counts = 1;
    }
    if (counts == 1) places.push_back({entity, found});
  }
  return places;
}

/// The player's own figures, and whether the state itself stands for one.
struct StateIndex::Own {
  Entities figures;
  bool root = false;
};

StateIndex::Own StateIndex::own_of(const std::vector<std::string>& players) const {
  Own own;
  std::unordered_set<std::string> keys;
  for (const std::string& name : players)
    if (const std::string key = name_key(name); !key.empty()) keys.insert(key);
  const auto named = [&](const StateEntity& one) {
    const auto is = [&](const std::string& name) { return keys.contains(name_key(name)); };
    return is(one.anchor) || is(one.name) || std::any_of(one.aliases.begin(), one.aliases.end(), is);
  };
  for (std::uint32_t i = 0; i < entities_.size(); ++i)
    if (keys.empty() ? entities_[i].player : named(entities_[i])) own.figures.push_back(i);
  // A name that was given decides; where it fits nothing the state's own words do.
  if (own.figures.empty() && !keys.empty()) return own_of({});
  own.root = own.figures.empty();
  return own;
}

// How far up the first of the holders stands that the entity is, or is held by; the greatest number where none does.
std::uint32_t StateIndex::steps_to(std::uint32_t entity, const Entities& holders) const {
  std::uint32_t steps = 0;
  for (std::uint32_t at = entity; at != kNoHolder && steps < 64; at = entities_[at].holder, ++steps)
    if (std::find(holders.begin(), holders.end(), at) != holders.end()) return steps;
  return kNoHolder;
}

StateIndex::Places StateIndex::owned(std::string_view owner, std::string_view field, const Own& own) const {
  const std::string key = name_key(owner);
  const auto named = names().whole.find(meaning_of(key));
  const auto found = names().fields.find(meaning_of(name_key(field)));
  if (found == names().fields.end()) return {};
  const Entities holders = named != names().whole.end() ? named->second : says_player(key) ? own.figures : Entities();
  Places nearest;
  std::uint32_t least = kNoHolder;
  for (const Place& place : found->second) {
    const std::uint32_t steps = steps_to(place.entity, holders);
    if (steps == kNoHolder || steps > least) continue;
    if (steps < least) nearest.clear();
    least = steps;
    nearest.push_back(place);
  }
  return nearest;
}

// "goblin's hp", "hp of the goblin", 哥布林的血量, "goblin hp".
StateIndex::Places StateIndex::split_owner(const std::string& what, const Own& own) const {
  for (const std::string_view mark : {"'s ", "的"}) {
    const auto at = what.find(mark);
    if (at != std::string::npos && at > 0)
      return owned(std::string_view(what).substr(0, at), std::string_view(what).substr(at + mark.size()), own);
  }
  if (const auto at = what.find(" of "); at != std::string::npos)
    return owned(std::string_view(what).substr(at + 4), std::string_view(what).substr(0, at), own);
  for (std::size_t at = 1; at < what.size(); ++at) {
    if ((static_cast<unsigned char>(what[at]) & 0xC0) == 0x80) continue;
    const bool inside_word = what[at] != ' ' && static_cast<unsigned char>(what[at]) < 0x80 &&
                             static_cast<unsigned char>(what[at - 1]) < 0x80;
    if (inside_word) continue;
    Places places = owned(std::string_view(what).substr(0, at), std::string_view(what).substr(at), own);
    if (!places.empty()) return places;
  }
  return {};
}

StateIndex::Places StateIndex::find(const QuantityRequest& request, const Own& own) const {
  const std::string key = meaning_of(name_key(request.what));
  if (!request.where.empty()) {
    if (Places places = owned(request.where, request.what, own); !places.empty()) return places;
  }
  Places places;
  if (const auto found = names().fields.find(key); found != names().fields.end()) places = found->second;
  if (const auto found = names().whole.find(key); found != names().whole.end()) {
    for (const Place& place : counted(found->second)) {
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
  }
  if (places.empty()) places = split_owner(request.what, own);
  if (places.empty()) {
    // One without a count may be meant too, so nothing is clear then.
    if (const auto found = names().ends.find(name_key(request.what)); found != names().ends.end()) {
      places = counted(found->second);
      if (places.size() < found->second.size()) places.clear();
    }
  }
  if (!request.where.empty()) keep_held_by(request.where, places);
  keep_own(own, places);
  return places;
}

void StateIndex::keep_held_by(const std::string& where, Places& places) const {
  const std::string key = name_key(where);
  const auto held = [&](const Place& place) { return name_key(entities_[place.entity].container) == key; };
  if (std::any_of(places.begin(), places.end(), held)) {
    std::erase_if(places, [&](const Place& place) { return !held(place); });
  } else if (!names_own_container(key)) {
    places.clear();
  }
}

// Nobody says whose it is where it is their own. Of several the one nearest to the figure: its own number goes before
// that of its horse.
void StateIndex::keep_own(const Own& own, Places& places) const {
  if (places.size() < 2) return;
  const auto distance = [&](const Place& place) {
    if (!own.root) return steps_to(place.entity, own.figures);
    return entities_[place.entity].anchor.empty() && !entities_[place.entity].group ? 0 : kNoHolder;
  };
  std::uint32_t least = kNoHolder;
  for (const Place& place : places) least = std::min(least, distance(place));
  if (least != kNoHolder) std::erase_if(places, [&](const Place& place) { return distance(place) > least; });
}

NumberDoubt StateIndex::doubt_of(const QuantityRequest& request, const Places& places) const {
  constexpr std::size_t kShown = 5;
  NumberDoubt doubt;
  doubt.why = places.empty() ? NumberDoubt::kUnknown : NumberDoubt::kAmbiguous;
  doubt.what = request.what;
  for (std::size_t i = 0; i < places.size() && i < kShown; ++i) {
    const StateEntity& entity = entities_[places[i].entity];
    const NumericField& field = entity.fields[places[i].field];
    doubt.numbers.push_back({entity.name.empty() ? entity.anchor : entity.name, field.name, field.value});
  }
  return doubt;
}

Result<std::vector<NumberChange>> StateIndex::resolve(const std::vector<QuantityRequest>& requests,
                                                      const std::vector<std::string>& players,
                                                      NumberDoubt* doubt) const {
  const Own own = own_of(players);
  const auto refuse = [doubt](NumberDoubt why) -> Error {
    Error error = refusal(why);
    if (doubt != nullptr) *doubt = std::move(why);
    return error;
  };
  std::vector<NumberChange> changes;
  for (const QuantityRequest& request : requests) {
    const Places places = find(request, own);
    if (places.size() != 1) return refuse(doubt_of(request, places));
    const StateEntity& entity = entities_[places[0].entity];
    const NumericField& field = entity.fields[places[0].field];
    const bool statistic = !stat_of(name_key(request.what)).empty() && !is_count_field(name_key(field.name));
    NumberChange change;
    change.anchor = entity.anchor;
    change.field = field.name;
    change.path = !field.path.empty()     ? field.path
                  : entity.anchor.empty() ? field.name
                                          : entity.anchor + "." + field.name;
    change.entity = places[0].entity;
    change.called = statistic ? request.what : field.name;
    change.operation = request.operation;
    change.amount = request.amount;
    change.before = field.value;
    for (const NumberChange& earlier : changes)
      if (earlier.path == change.path) change.before = earlier.after;
    change.after = change.operation == QuantityOperation::kSet ? change.amount : change.before + change.amount;
    if (auto out = out_of_bounds(entity, field, change)) return refuse(std::move(*out));
    changes.push_back(std::move(change));
  }
  return changes;
}

std::string operations_json(const std::vector<NumberChange>& changes) {
  auto list = nlohmann::ordered_json::array();
  for (const NumberChange& change : changes) {
    list.push_back(
        {change.operation == QuantityOperation::kSet ? "SET" : "ADD", change.path, number_json(change.amount)});
  }
  return write_json(list);
}

}  // namespace weft
