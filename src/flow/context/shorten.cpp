#include "flow/context/shorten.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "flow/context/candidates.h"
#include "flow/context/state_target.h"
#include "text/english_verbs.h"
#include "text/token_counter.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongText = 240;    // characters of a text beyond which it is shortened
constexpr std::size_t kListElements = 12;  // of plain values
constexpr std::size_t kCountLines = 40;    // containers of one object that are told in a line
constexpr std::size_t kEntityCost = 24;    // bytes around an entity's own fields
constexpr double kNamed = 8, kPlayer = 6, kHeldByPlayer = 3, kChanged = 5, kShares = 2;

std::string anchor_of(const Value& value) {
  for (const char* member : {"id", "_anchor"}) {
    const Value* found = value.find(member);
    if (found == nullptr) continue;
    if (found->text() != nullptr) return *found->text();
    if (const auto* whole = std::get_if<std::int64_t>(&found->data)) return std::to_string(*whole);
  }
  return {};
}

bool holds_objects(const Value& value) {
  if (value.object() != nullptr) return true;
  const ValueList* list = value.list();
  return list != nullptr && std::any_of(list->begin(), list->end(), [](const Value& one) {
           return one.object() != nullptr || one.list() != nullptr;
         });
}

// How many objects a container holds itself; 0 for what holds none.
std::size_t objects_in(const Value& value) {
  const Value* items = value.find("items");
  const Value& held = items != nullptr && items->list() != nullptr ? *items : value;
  std::size_t count = 0;
  if (const ValueList* list = held.list())
    for (const Value& one : *list) count += one.object() != nullptr ? 1 : 0;
  if (const ValueObject* members = held.object())
    for (const auto& [name, one] : *members) count += holds_objects(one) ? 1 : 0;
  return count;
}

std::size_t plain_size(const Value& value) {
  if (const std::string* text = value.text()) return std::min(text->size(), 4 * kLongText) + 2;
  if (const ValueList* list = value.list()) {
    std::size_t size = 2;
    for (std::size_t i = 0; i < list->size() && i < kListElements; ++i) size += plain_size((*list)[i]) + 2;
    return size;
  }
  return 8;
}

/// An object of the tree: what it holds of its own, and what it stands in.
struct Part {
  const Value* value = nullptr;
  std::size_t holder = 0;  ///< place of the part it stands in; the root is its own
  std::size_t cost = 0;
  double score = 0;
  bool chosen = false;
};

class Shortener {
 public:
  Shortener(const StateInterest& interest) {
    for (std::string& word : index_words(interest.words))
      if (!is_function_word(word)) words_.insert(std::move(word));
    for (const std::string& name : interest.players) players_.insert(name_key(name));
    for (const std::string& anchor : interest.changed) changed_.try_emplace(anchor, changed_.size());
  }

  Value shorten(const Value& root, std::size_t bytes) {
    collect(root, 0);
    score();
    choose(bytes);
    return copy(root);
  }

 private:
  void collect(const Value& value, std::size_t holder) {
    if (const ValueList* list = value.list()) {
      for (const Value& one : *list) collect(one, holder);
      return;
    }
    if (value.object() == nullptr) return;
    const std::size_t place = parts_.size();
    places_.emplace(&value, place);
    parts_.push_back({&value, place == 0 ? 0 : holder, kEntityCost, 0, place == 0});
    for (const auto& [name, member] : *value.object()) {
      if (holds_objects(member))
        collect(member, place);
      else
        parts_[place].cost += name.size() + plain_size(member) + 6;
    }
  }

  bool names(const std::string& name) const {
    if (name.empty() || name.size() > 4 * kLongText) return false;
    const auto words = index_words(name);
    return !words.empty() &&
           std::all_of(words.begin(), words.end(), [&](const std::string& word) { return words_.contains(word); });
  }

  double own_score(const Value& value) const {
    double best = 0, shared = 0;
    const std::string anchor = anchor_of(value);
    if (names(anchor)) best = kNamed;
    if (const auto at = changed_.find(anchor); at != changed_.end())
      best = std::max(best, kChanged - static_cast<double>(at->second) / static_cast<double>(changed_.size() + 1));
    for (const auto& [name, member] : *value.object()) {
      const std::string* text = member.text();
      if (text == nullptr || name == "id" || name == "_anchor") continue;
      if ((name == "name" || name == "title" || name == "alias") && names(*text)) best = std::max(best, kNamed);
      if (best >= kNamed) return best;
      for (const std::string& word : index_words(cut_bytes(*text, kLongText)))
        if (words_.contains(word)) shared += 1;
    }
    if (const Value* aliases = value.find("aliases"); aliases != nullptr && aliases->list() != nullptr)
      for (const Value& alias : *aliases->list())
        if (alias.text() != nullptr && names(*alias.text())) best = std::max(best, kNamed);
    return std::max(best, kShares * shared / (shared + 2));
  }

  void score() {
    std::vector<bool> player(parts_.size(), false);
    mark_players(player);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      part.score = own_score(*part.value);
      if (player[i]) part.score = std::max(part.score, kPlayer);
      // What somebody in focus holds matters with them, less with each step.
      const Part& holder = parts_[part.holder];
      if (part.holder != 0 && holder.score > kShares)
        part.score = std::max(part.score, player[part.holder] ? kHeldByPlayer : holder.score / 2);
    }
  }

  // The figure is told the same way as for the numbers of a turn.
  void mark_players(std::vector<bool>& player) const {
    std::unordered_set<std::string> figures;
    for (const StateEntity& entity : entities_of(*parts_[0].value)) {
      const bool named = players_.contains(name_key(entity.name)) || players_.contains(name_key(entity.anchor));
      if (!entity.anchor.empty() && (entity.player || named)) figures.insert(entity.anchor);
    }
    for (std::size_t i = 1; i < parts_.size(); ++i) player[i] = figures.contains(anchor_of(*parts_[i].value));
  }

  void choose(std::size_t bytes) {
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i < parts_.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return parts_[a].score > parts_[b].score; });
    std::size_t used = std::min(parts_[0].cost, bytes / 2);
    for (const std::size_t at : order) {
      std::size_t cost = 0;
      for (std::size_t i = at; !parts_[i].chosen; i = parts_[i].holder) cost += parts_[i].cost;
      if (used + cost > bytes) continue;
      used += cost;
      for (std::size_t i = at; !parts_[i].chosen; i = parts_[i].holder) parts_[i].chosen = true;
    }
    room_for_fields_ = bytes / 2;
  }

  bool is_chosen(const Value& value) const {
    const auto at = places_.find(&value);
    return at == places_.end() || parts_[at->second].chosen;
  }

  static Value plain(const Value& value) {
    if (const std::string* text = value.text()) return preview(*text, kLongText);
    const ValueList* list = value.list();
    if (list == nullptr || list->size() <= kListElements) return value;
    ValueList some(list->begin(), list->begin() + kListElements);
    some.emplace_back("… " + std::to_string(list->size() - kListElements) + " more");
    return some;
  }

  Value copy_list(const ValueList& list) const {
    ValueList kept;
    std::size_t left_out = 0;
    for (const Value& one : list) {
      if (is_chosen(one))
        kept.push_back(copy(one));
      else
        ++left_out;
    }
    if (left_out == 0) return kept;
    const std::string count = "… " + std::to_string(left_out) + (kept.empty() ? "" : " more");
    if (kept.empty()) return count;
    kept.emplace_back(count);
    return kept;
  }

  Value copy(const Value& value) const {
    if (const ValueList* list = value.list()) return holds_objects(value) ? copy_list(*list) : plain(value);
    if (value.object() == nullptr) return plain(value);
    ValueObject kept;
    std::size_t left_out = 0, fields = 0, used = 0, lines = 0;
    for (const auto& [name, member] : *value.object()) {
      if (!holds_objects(member)) {
        used += name.size() + plain_size(member) + 6;
        if (used > room_for_fields_)
          ++fields;
        else
          kept.emplace_back(name, plain(member));
      } else if (is_chosen(member)) {
        kept.emplace_back(name, copy(member));
      } else if (const std::size_t held = objects_in(member); held > 0 && lines++ < kCountLines) {
        kept.emplace_back(name, "… " + std::to_string(held));
      } else {
        ++left_out;
      }
    }
    if (left_out + fields > 0) kept.emplace_back("…", std::to_string(left_out + fields) + " more");
    return kept;
  }

  std::vector<Part> parts_;
  std::unordered_map<const Value*, std::size_t> places_;
  std::unordered_set<std::string> words_, players_;
  std::unordered_map<std::string, std::size_t> changed_;
  std::size_t room_for_fields_ = 0;
};

}  // namespace

Value shorten_state(const Value& root, const StateInterest& interest, std::size_t bytes) {
  return root.object() == nullptr ? root : Shortener(interest).shorten(root, bytes);
}

std::vector<std::string> anchors_in(const std::string& operations) {
  std::vector<std::string> anchors;
  const auto all = parse_value(operations, {.max_bytes = operations.size() + 1}, "operations");
  if (!all.ok() || all->list() == nullptr) return anchors;
  for (const Value& one : *all->list()) {
    const ValueList* parts = one.list();
    if (parts == nullptr || parts->size() < 2 || (*parts)[1].text() == nullptr) continue;
    const std::string& path = *(*parts)[1].text();
    if (path.empty()) continue;
    anchors.push_back(path.substr(0, path.find('.')));
    // What was put into a container.
    if (parts->size() > 2)
      if (std::string put = anchor_of((*parts)[2]); !put.empty()) anchors.push_back(std::move(put));
  }
  return anchors;
}

namespace {

constexpr std::size_t kQueryBytes = 4096;
constexpr std::int64_t kNoteTokens = 12;  // of the line that says what is missing

struct Line {
  std::string_view text;
  std::size_t heading = 0;  ///< place of the heading above it; its own where there is none
  bool is_heading = false;
  double score = 0;
  std::int64_t tokens = 0;
};

std::int64_t tokens_of(std::string_view text) { return estimate_tokens(text, TokenMode::kScript); }

std::vector<Line> lines_of(std::string_view text, const WordSet& query) {
  std::vector<Line> lines;
  std::size_t heading = 0;
  bool under_one = false;
  for (const std::string_view one : weft::lines_of(text)) {
    Line line{one, 0, false, 0, 0};
    if (trimmed(one).empty()) continue;
    line.is_heading = line.text.starts_with('#');
    if (line.is_heading) heading = lines.size();
    under_one = under_one || line.is_heading;
    line.heading = under_one ? heading : lines.size();
    line.tokens = tokens_of(line.text) + 1;
    line.score = query.empty() ? 0 : query.share_in(WordSet(line.text));
    lines.push_back(line);
  }
  return lines;
}

std::string note(std::size_t left_out) { return "… (" + std::to_string(left_out) + " more)"; }

}  // namespace

std::string shorten_profile(std::string_view text, std::string_view query, std::int64_t tokens) {
  if (tokens_of(text) <= tokens) return std::string(text);
  const std::vector<Line> lines = lines_of(text, WordSet(cut_bytes(query, kQueryBytes)));
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lines[a].score > lines[b].score; });
  std::vector<bool> kept(lines.size(), false);
  std::int64_t left = tokens - kNoteTokens;
  std::size_t taken = 0, all = 0;
  for (const std::size_t at : order) {
    if (lines[at].is_heading) continue;
    ++all;
    const std::size_t heading = lines[at].heading;
    const std::int64_t cost = lines[at].tokens + (heading != at && !kept[heading] ? lines[heading].tokens : 0);
    if (cost > left) continue;
    left -= cost;
    kept[at] = kept[heading] = true;
    ++taken;
  }
  // Not one line fits as a whole.
  if (taken == 0) {
    const auto best = std::find_if(order.begin(), order.end(), [&](std::size_t at) { return !lines[at].is_heading; });
    return best == order.end() ? preview_tokens(text, tokens) : preview_tokens(lines[*best].text, tokens);
  }
  std::string shorter;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (kept[i]) shorter += std::string(lines[i].text) + "\n";
  return taken == all ? shorter : shorter + note(all - taken);
}

namespace {

constexpr std::array<std::string_view, 22> kTimes = {
    "time",     "gametime", "worldtime", "storytime", "ingametime", "currenttime", "datetime", "clock",
    "date",     "calendar", "timeofday", "day",       "hour",       "时间",        "游戏时间", "当前时间",
    "世界时间", "时刻",     "日期",      "时辰",      "历法",       "日子"};
constexpr std::array<std::string_view, 12> kScenes = {"scene", "world", "setting", "environment", "game", "story",
                                                      "场景",  "世界",  "环境",    "设定",        "剧情", "游戏"};

const Value* time_in(const Value& object) {
  if (object.object() == nullptr) return nullptr;
  for (const std::string_view wanted : kTimes)
    for (const auto& [name, value] : *object.object())
      if (name_key(name) == wanted && !value.is_null()) return &value;
  return nullptr;
}

}  // namespace

const Value* story_time(const Value& root) {
  if (const Value* found = time_in(root)) return found;
  if (root.object() == nullptr) return nullptr;
  for (const std::string_view wanted : kScenes)
    for (const auto& [name, value] : *root.object())
      if (name_key(name) == wanted)
        if (const Value* found = time_in(value)) return found;
  return nullptr;
}

}  // namespace weft
