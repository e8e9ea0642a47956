#include "flow/recall/validity.h"

#include <algorithm>

namespace weft {

bool held_at(const Item& item, Time moment) {
  if (item.time > moment) return false;
  return !item.event || !item.event->valid_until || *item.event->valid_until > moment;
}

void put_current_first(std::vector<Hit>& hits) {
  // Chains of replacements are short; each step moves one fact behind its successor.
  for (std::size_t moves = 0, i = 0; i < hits.size() && moves < hits.size() * hits.size(); ++i) {
    const auto& event = hits[i].item.event;
    if (!event || event->superseded_by.empty()) continue;
    const auto successor = std::find_if(hits.begin() + static_cast<std::ptrdiff_t>(i) + 1, hits.end(),
                                        [&](const Hit& hit) { return hit.item.id == event->superseded_by; });
    if (successor == hits.end()) continue;
    // The successor takes the better place and score.
    const auto at = hits.begin() + static_cast<std::ptrdiff_t>(i);
    const double score = at->score;
    std::rotate(at, successor, successor + 1);
    hits[i].score = std::max(hits[i].score, score);
    ++moves;
    --i;  // what stands here now may itself be replaced
  }
}

}  // namespace weft
