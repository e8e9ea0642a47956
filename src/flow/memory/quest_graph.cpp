#include "flow/memory/quest_graph.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>

#include "model/documents.h"
#include "text/utf8.h"
#include "text/yaml_value.h"

namespace weft {
namespace {

constexpr std::size_t kNamed = 5;  // ids in a message; a list of thousands helps nobody
constexpr std::size_t kMaxText = 64 * 1024;

std::string in_quotes(std::string_view id) { return "\"" + preview(id, 80) + "\""; }

bool has_ended(QuestStatus status) { return status == QuestStatus::kCompleted || status == QuestStatus::kFailed; }

bool same(const Quest& a, const Quest& b) {
  return a.title == b.title && a.objective == b.objective && a.status == b.status && a.progress == b.progress &&
         a.prerequisites == b.prerequisites && a.successors == b.successors && a.tags == b.tags &&
         a.outcome == b.outcome;
}

Status check_text(std::string_view text, std::string_view what) {
  if (text.size() > kMaxText) return too_large(std::string(what) + ": longer than " + std::to_string(kMaxText));
  if (find_invalid_utf8(text)) return invalid_argument(std::string(what) + ": not UTF-8");
  return {};
}

// What `after` has that `before` had not, or not so.
std::vector<Quest> changes(const QuestGraph& before, const QuestGraph& after) {
  std::vector<Quest> changed;
  for (const Quest& quest : after.quests()) {
    const Quest* former = before.find(quest.id);
    if (former == nullptr || !same(*former, quest)) changed.push_back(quest);
  }
  return changed;
}

// A file of quests says what there is, not how far the players are.
void keep_standing(const Quest& former, Quest& quest) {
  if (quest.status == QuestStatus::kLocked) quest.status = former.status;
  if (quest.progress.empty()) quest.progress = former.progress;
  if (quest.outcome.empty() && quest.status == former.status) quest.outcome = former.outcome;
}

}  // namespace

Status QuestGraph::index_ids() {
  std::string twice;
  std::size_t count = 0;
  for (std::size_t i = 0; i < quests_.size(); ++i) {
    if (quests_[i].id.empty()) return invalid_argument("quest " + std::to_string(i + 1) + ": the id is empty");
    if (by_id_.emplace(quests_[i].id, i).second) continue;
    if (++count <= kNamed) twice += (twice.empty() ? "" : ", ") + in_quotes(quests_[i].id);
  }
  if (count == 0) return {};
  return invalid_argument("quests: ids that stand there twice: " + twice + (count > kNamed ? ", …" : ""));
}

// Writes every edge at both of its ends, each once, in the order in which they were given.
Status QuestGraph::link() {
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // from what comes before to what waits
  std::string unknown;
  std::size_t count = 0;
  const auto note = [&](std::size_t quest, std::string_view field, const std::string& id) {
    if (++count > kNamed) return;
    unknown += (unknown.empty() ? "" : "; ") + in_quotes(quests_[quest].id) + " has the unknown " + std::string(field) +
               " " + in_quotes(id);
  };
  const auto place = [&](std::size_t quest, std::string_view field, const std::string& id) {
    const auto other = by_id_.find(id);
    if (other == by_id_.end()) note(quest, field, id);
    return other == by_id_.end() ? quest : other->second;
  };
  for (std::size_t i = 0; i < quests_.size(); ++i) {
    for (const std::string& id : quests_[i].prerequisites) edges.emplace_back(place(i, "prerequisite", id), i);
    for (const std::string& id : quests_[i].successors) edges.emplace_back(i, place(i, "successor", id));
  }
  if (count > 0) return invalid_argument("quests: " + unknown + (count > kNamed ? "; …" : ""));
  for (Quest& quest : quests_) {
    quest.prerequisites.clear();
    quest.successors.clear();
  }
  std::unordered_set<std::uint64_t> seen;
  for (const auto& [before, after] : edges) {
    if (!seen.insert(std::uint64_t{before} << 32 | after).second) continue;
    quests_[before].successors.push_back(quests_[after].id);
    quests_[after].prerequisites.push_back(quests_[before].id);
  }
  return {};
}

// Takes away what waits for nothing, again and again; what is left has a cycle, and going back along any prerequisite
// that is left too must come round.
Status QuestGraph::check_cycles() const {
  std::vector<std::size_t> waiting(quests_.size()), ready;
  for (std::size_t i = 0; i < quests_.size(); ++i) {
    waiting[i] = quests_[i].prerequisites.size();
    if (waiting[i] == 0) ready.push_back(i);
  }
  for (std::size_t next = 0; next < ready.size(); ++next) {
    for (const std::string& id : quests_[ready[next]].successors) {
      const std::size_t after = by_id_.at(id);
      if (--waiting[after] == 0) ready.push_back(after);
    }
  }
  if (ready.size() == quests_.size()) return {};
  const auto left = std::find_if(waiting.begin(), waiting.end(), [](std::size_t count) { return count > 0; });
  auto at = static_cast<std::size_t>(left - waiting.begin());
  std::vector<std::size_t> path, place(quests_.size(), 0);
  while (place[at] == 0) {
    path.push_back(at);
    place[at] = path.size();
    for (const std::string& id : quests_[at].prerequisites) {
      if (waiting[by_id_.at(id)] == 0) continue;
      at = by_id_.at(id);
      break;
    }
  }
  std::string cycle = in_quotes(quests_[at].id);
  const std::size_t length = path.size() - (place[at] - 1);
  for (std::size_t i = 0; i < length && i < 2 * kNamed; ++i) {
    if (i + 1 == 2 * kNamed && length > 2 * kNamed) cycle += " → …";
    cycle += " → " + in_quotes(quests_[path[path.size() - 1 - i]].id);
  }
  return invalid_argument("quests wait for each other in a circle: " + cycle, "take one of these prerequisites out");
}

bool QuestGraph::is_open(const Quest& quest) const {
  return std::all_of(quest.prerequisites.begin(), quest.prerequisites.end(),
                     [&](const std::string& id) { return at(id).status == QuestStatus::kCompleted; });
}

std::string QuestGraph::missing(const Quest& quest) const {
  std::string names;
  std::size_t count = 0;
  for (const std::string& id : quest.prerequisites) {
    if (at(id).status == QuestStatus::kCompleted) continue;
    if (++count <= kNamed) names += (names.empty() ? "" : ", ") + in_quotes(id);
  }
  return names + (count > kNamed ? ", …" : "");
}

// Of what has not been begun the prerequisites alone say how it stands.
void QuestGraph::settle(Quest& quest) const {
  if (quest.status != QuestStatus::kLocked && quest.status != QuestStatus::kAvailable) return;
  quest.status = is_open(quest) ? QuestStatus::kAvailable : QuestStatus::kLocked;
}

Result<QuestGraph> QuestGraph::make(std::vector<Quest> quests, Options options) {
  QuestGraph graph;
  graph.options_ = options;
  graph.quests_ = std::move(quests);
  WEFT_CHECK(graph.index_ids());
  WEFT_CHECK(graph.link());
  WEFT_CHECK(graph.check_cycles());
  for (Quest& quest : graph.quests_) graph.settle(quest);
  return graph;
}

const Quest* QuestGraph::find(std::string_view id) const {
  const auto found = by_id_.find(std::string(id));
  return found == by_id_.end() ? nullptr : &quests_[found->second];
}

Result<std::vector<Quest>> QuestGraph::put(std::vector<Quest> quests) {
  std::unordered_map<std::string, std::size_t> replaced;  // id → place among the new ones
  for (std::size_t i = 0; i < quests.size(); ++i) {
    if (!replaced.emplace(quests[i].id, i).second) {
      return invalid_argument("quests: ids that stand there twice: " + in_quotes(quests[i].id));
    }
  }
  std::vector<Quest> merged = quests_;
  for (Quest& quest : merged) {
    // The other end of an edge must not bring back what its own end no longer says.
    std::erase_if(quest.successors, [&](const std::string& id) { return replaced.contains(id); });
  }
  for (Quest& quest : quests) {
    const auto former = by_id_.find(quest.id);
    if (former == by_id_.end()) {
      merged.push_back(std::move(quest));
      continue;
    }
    keep_standing(quests_[former->second], quest);
    merged[former->second] = std::move(quest);
  }
  WEFT_TRY(QuestGraph next, make(std::move(merged), options_));
  auto changed = changes(*this, next);
  *this = std::move(next);
  return changed;
}

Result<std::vector<Quest>> QuestGraph::remove(std::string_view id) {
  const Quest* quest = find(id);
  if (quest == nullptr) return not_found("no quest " + in_quotes(id));
  if (!quest->successors.empty()) {
    return conflict("quest " + in_quotes(id) + " is a prerequisite of " + in_quotes(quest->successors.front()),
                    "remove that one first, or its prerequisite");
  }
  std::vector<Quest> kept;
  for (const Quest& other : quests_) {
    if (other.id == id) continue;
    kept.push_back(other);
    std::erase(kept.back().successors, std::string(id));
  }
  WEFT_TRY(QuestGraph next, make(std::move(kept), options_));
  auto changed = changes(*this, next);
  *this = std::move(next);
  return changed;
}

Status QuestGraph::check_move(const Quest& quest, QuestStatus status) const {
  const std::string move = "quest " + in_quotes(quest.id) + " cannot go from " + std::string(to_string(quest.status)) +
                           " to " + std::string(to_string(status));
  if (status == QuestStatus::kLocked) return conflict(move, "locked is what a quest is while others come before it");
  if (status == QuestStatus::kFailed && quest.status != QuestStatus::kCompleted) return {};
  if (has_ended(quest.status) && has_ended(status)) return conflict(move, "undo it first: set it to in_progress");
  if (has_ended(quest.status) && status == QuestStatus::kAvailable) return {};
  const bool free = quest.status == QuestStatus::kAvailable || quest.status == QuestStatus::kActive || is_open(quest);
  return free ? Status() : conflict(move + ": to be completed first: " + missing(quest));
}

Result<std::vector<Quest>> QuestGraph::set_status(std::string_view id, QuestStatus status, std::string_view outcome) {
  if (find(id) == nullptr) return not_found("no quest " + in_quotes(id));
  WEFT_CHECK(check_text(outcome, "outcome"));
  Quest& quest = at(std::string(id));
  if (quest.status == status) return std::vector<Quest>{};
  WEFT_CHECK(check_move(quest, status));
  const bool undone = quest.status == QuestStatus::kCompleted;
  quest.status = status;
  settle(quest);  // tried again before what comes first is done
  quest.outcome = has_ended(status) ? outcome : std::string_view();
  std::vector<Quest> changed{quest};
  if (status != QuestStatus::kCompleted && !undone) return changed;
  for (const std::string& next : quest.successors) {
    Quest& after = at(next);
    const QuestStatus former = after.status;
    if (undone && !has_ended(former)) after.status = QuestStatus::kLocked;
    if (!undone && former == QuestStatus::kLocked && is_open(after)) {
      after.status = options_.activate_unlocked ? QuestStatus::kActive : QuestStatus::kAvailable;
    }
    if (after.status != former) changed.push_back(after);
  }
  return changed;
}

Result<std::vector<Quest>> QuestGraph::set_progress(std::string_view id, std::string_view progress) {
  if (find(id) == nullptr) return not_found("no quest " + in_quotes(id));
  WEFT_CHECK(check_text(progress, "progress"));
  Quest& quest = at(std::string(id));
  if (quest.progress == progress) return std::vector<Quest>{};
  quest.progress = progress;
  return std::vector<Quest>{quest};
}

namespace {

constexpr JsonLimits kJson{16 * 1024 * 1024, 16};
constexpr YamlLimits kYaml{4 * 1024 * 1024, 16, 200'000};

Result<Value> read_tree(std::string_view bytes, std::string_view file) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const auto first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Value();
  if (bytes[first] != '{' && bytes[first] != '[') return parse_yaml_value(bytes, kYaml, file);
  auto json = parse_value(bytes, kJson, file);
  if (json.ok()) return json;
  // YAML's own lists and maps in brackets begin the same way.
  auto yaml = parse_yaml_value(bytes, kYaml, file);
  return yaml.ok() ? std::move(yaml) : std::move(json);
}

}  // namespace

Result<std::vector<Quest>> import_quests(std::string_view bytes, std::string_view file) {
  WEFT_TRY(const Value tree, read_tree(bytes, file));
  auto quests = read_quests(tree);
  if (quests.ok()) return quests;
  Error error = quests.error();
  error.message = std::string(file) + ": " + error.message;
  return error;
}

}  // namespace weft
