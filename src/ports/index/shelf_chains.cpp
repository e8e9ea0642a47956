#include "ports/index/shelf_chains.h"

namespace weft {

void ShelfChains::link(ShelfUnits& units, std::uint32_t unit) {
  if (!links_) return;
  const std::uint32_t session = units.session[unit];
  if (tails_.size() <= session) tails_.resize(session + 1, ShelfUnits::kNone);
  // Items come in order, so that the place is nearly always at the end.
  std::uint32_t before = tails_[session], after = ShelfUnits::kNone;
  while (before != ShelfUnits::kNone && units.position[before] > units.position[unit]) {
    after = before;
    before = units.previous[before];
  }
  units.previous[unit] = before;
  units.next[unit] = after;
  if (before != ShelfUnits::kNone) units.next[before] = unit;
  if (after != ShelfUnits::kNone)
    units.previous[after] = unit;
  else
    tails_[session] = unit;
  measure_around(units, unit);
}

void ShelfChains::unlink(ShelfUnits& units, std::uint32_t unit) {
  if (!links_) return;
  const std::uint32_t before = units.previous[unit], after = units.next[unit];
  if (before != ShelfUnits::kNone) units.next[before] = after;
  if (after != ShelfUnits::kNone)
    units.previous[after] = before;
  else
    tails_[units.session[unit]] = before;
  units.previous[unit] = units.next[unit] = ShelfUnits::kNone;
  for (const std::uint32_t end : {before, after})
    if (end != ShelfUnits::kNone) measure_around(units, end);
}

void ShelfChains::measure(ShelfUnits& units, std::uint32_t unit) {
  float words = 0;
  if ((units.traits[unit] & ShelfUnits::kActive) != 0) {
    words = units.words[unit];
    for (const auto* chain : {&units.previous, &units.next}) {
      std::uint32_t at = unit;
      for (const float weight : kNeighbourWords) {
        if ((at = (*chain)[at]) == ShelfUnits::kNone) break;
        words += weight * units.share[unit] * units.share[at] * static_cast<float>(units.words[at]);
      }
    }
  }
  words_ += static_cast<double>(words) - static_cast<double>(units.context_words[unit]);
  units.context_words[unit] = words;
}

void ShelfChains::measure_around(ShelfUnits& units, std::uint32_t unit) {
  measure(units, unit);
  for (const auto* chain : {&units.previous, &units.next}) {
    std::uint32_t at = unit;
    for (std::size_t i = 0; i < kNeighbourWords.size(); ++i) {
      if ((at = (*chain)[at]) == ShelfUnits::kNone) break;
      measure(units, at);
    }
  }
}

}  // namespace weft
