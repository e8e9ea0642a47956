#include "flow/context/quest_walk.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace weft {
namespace {

using Edges = std::vector<std::vector<std::size_t>>;

Edges edges_of(std::span<const Quest> quests, const std::unordered_map<std::string_view, std::size_t>& places) {
  Edges edges(quests.size());
  const auto join = [&](std::size_t from, const std::string& id) {
    const auto to = places.find(id);
    if (to == places.end() || to->second == from) return;
    edges[from].push_back(to->second);
    edges[to->second].push_back(from);
  };
  for (std::size_t i = 0; i < quests.size(); ++i) {
    for (const std::string& id : quests[i].prerequisites) join(i, id);
    for (const std::string& id : quests[i].successors) join(i, id);
  }
  return edges;
}

}  // namespace

std::vector<QuestStep> walk_quests(std::span<const Quest> quests, const std::string& start, std::size_t most) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < quests.size(); ++i) places.emplace(quests[i].id, i);
  const auto first = places.find(start);
  if (first == places.end()) return {};
  const Edges edges = edges_of(quests, places);
  std::vector<bool> seen(quests.size(), false);
  seen[first->second] = true;
  std::vector<QuestStep> steps{{first->second, 0}};
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const QuestStep step = steps[at];
    if (step.distance == most) break;
    for (const std::size_t next : edges[step.index]) {
      if (seen[next]) continue;
      seen[next] = true;
      steps.push_back({next, step.distance + 1});
    }
  }
  std::stable_sort(steps.begin(), steps.end(), [](const QuestStep& a, const QuestStep& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
  });
  return steps;
}

}  // namespace weft
