#include "flow/recall/validity.h"

#include <algorithm>

namespace weft {

bool held_at(const Item& item, Time moment) {
  if (item.time > moment) return false;
  return !item.event || !item.event->valid_until || *item.event->valid_until > moment;
}

namespace {

// Whether a hit states what holds instead of a part of the item.
bool replaces(const Item& newer, const Item& item) {
  if (item.event && !item.event->superseded_by.empty() && newer.id == item.event->superseded_by) return true;
  return std::any_of(item.over.begin(), item.over.end(), [&](const OverPart& part) {
    if (part.newer.empty()) return false;
    if (newer.id == part.newer) return true;
    return newer.kind == ItemKind::kMessage && newer.session == part.newer_session &&
           std::any_of(newer.sources.begin(), newer.sources.end(), [&](const MessageId& id) {
             return std::find(part.newer_sources.begin(), part.newer_sources.end(), id) != part.newer_sources.end();
           });
  });
}

}  // namespace

void put_current_first(std::vector<Hit>& hits) {
  // Chains of replacements are short; each step moves one hit behind its successor.
  for (std::size_t moves = 0, i = 0; i < hits.size() && moves < hits.size() * hits.size(); ++i) {
    const Item& item = hits[i].item;
    if (item.over.empty() && (!item.event || item.event->superseded_by.empty())) continue;
    const auto successor = std::find_if(hits.begin() + static_cast<std::ptrdiff_t>(i) + 1, hits.end(),
                                        [&](const Hit& hit) { return replaces(hit.item, item); });
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
