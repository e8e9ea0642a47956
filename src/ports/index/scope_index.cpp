#include "ports/index/scope_index.h"

#include <algorithm>
#include <cmath>

#include "text/cues.h"

namespace weft {
namespace {

constexpr std::uint32_t kMost16 = std::numeric_limits<std::uint16_t>::max();

std::uint16_t add_up_to_most(std::uint16_t value, std::size_t more) {
  return static_cast<std::uint16_t>(std::min<std::size_t>(kMost16, value + more));
}

// Of index terms: Chinese has two for a character, and other languages lose their function words.
constexpr float kShortEnglish = 14, kShortChinese = 80;  // about 25 words

float share_of(std::size_t terms, bool chinese) {
  const float most = chinese ? kShortChinese : kShortEnglish;
  return static_cast<float>(terms) > most ? most / static_cast<float>(terms) : 1.0F;
}

}  // namespace

std::uint32_t Shelf::add(const ItemRow& item, std::uint32_t session) {
  const auto slot = static_cast<std::uint32_t>(rows_.size());
  std::vector<Term> terms = item.terms;
  const bool question = std::erase(terms, question_mark_term()) > 0, chinese = std::erase(terms, chinese_term()) > 0;
  words_.add(slot, terms);
  rows_.push_back(item.row);
  const bool part = chains_.links() && slot > 0 && rows_[slot - 1] != 0 && units_.session.back() == session &&
                    units_.position.back() == item.item.position && units_.slots.back() < kMost16;
  if (part) {
    ++units_.slots.back();
    units_.traits.back() &= static_cast<std::uint8_t>(~ShelfUnits::kQuestion);  // a message of several parts says more
  } else {
    add_unit(item, slot, session, question);
  }
  units_.words.back() = add_up_to_most(units_.words.back(), terms.size());
  const auto unit = static_cast<std::uint32_t>(units_.size() - 1);
  unit_of_.push_back(unit);
  units_.share.back() = share_of(units_.words.back(), chinese);
  chains_.measure_around(units_, unit);
  return slot;
}

std::size_t Shelf::bytes() const {
  constexpr std::size_t kOfUnit = 51, kOfSlot = sizeof(std::int64_t) + sizeof(std::uint32_t);  // of the arrays together
  return sizeof(Shelf) + units_.size() * kOfUnit + rows_.capacity() * kOfSlot + words_.bytes() + vectors_.bytes();
}

void Shelf::add_unit(const ItemRow& item, std::uint32_t slot, std::uint32_t session, bool question) {
  const bool unnamed = item.speaker.empty() || item.speaker == to_string(Role::kAssistant);
  const bool assistant = item.role == Role::kAssistant && unnamed;
  units_.first_slot.push_back(slot);
  units_.slots.push_back(1);
  units_.previous.push_back(kNone);
  units_.next.push_back(kNone);
  units_.session.push_back(session);
  sessions_ = std::max<std::size_t>(sessions_, std::size_t{session} + 1);
  units_.day.push_back(day_of(item.item.time));
  units_.words.push_back(0);
  units_.share.push_back(1);
  units_.context_words.push_back(0);
  units_.speaker.push_back(speaker_number(item.speaker));
  units_.traits.push_back(
      static_cast<std::uint8_t>((assistant ? ShelfUnits::kAssistant : 0) | (question ? ShelfUnits::kQuestion : 0)));
  units_.position.push_back(item.item.position);
  units_.time_ms.push_back(item.item.time.ms);
  first_day_ = std::min(first_day_, units_.day.back());
  last_day_ = std::max(last_day_, units_.day.back());
  ++inactive_;
  if (item.active) set_unit_active(static_cast<std::uint32_t>(units_.size() - 1), true);
}

void Shelf::set_unit_active(std::uint32_t unit, bool active) {
  if (((units_.traits[unit] & ShelfUnits::kActive) != 0) == active) return;
  units_.traits[unit] ^= ShelfUnits::kActive;
  if (active) {
    --inactive_;
    chains_.link(units_, unit);
  } else {
    ++inactive_;
    chains_.unlink(units_, unit);
  }
  chains_.measure(units_, unit);
}

void Shelf::remove(std::span<const std::uint32_t> slots) {
  std::vector<std::uint8_t> gone(rows_.size(), 0);
  for (const std::uint32_t slot : slots) {
    gone[slot] = 1;
    rows_[slot] = 0;
    vectors_.clear(slot);
    const std::uint32_t unit = unit_of_[slot];
    const auto first = rows_.begin() + units_.first_slot[unit];
    if (std::all_of(first, first + units_.slots[unit], [](std::int64_t row) { return row == 0; }))
      set_unit_active(unit, false);
  }
  words_.purge(gone);
}

std::uint16_t Shelf::speaker_number(std::string_view name) {
  if (name.empty()) return 0;
  const auto known = speaker_numbers_.find(std::string(name));
  if (known != speaker_numbers_.end()) return known->second;
  // A scope with more speakers than this is a public channel; the later ones are treated as nobody by name.
  if (speakers_.size() >= kMost16) return 0;
  const auto number = static_cast<std::uint16_t>(speakers_.size());
  speakers_.emplace_back(name);
  speaker_numbers_.emplace(name, number);
  return number;
}

std::int32_t day_of(Time time) {
  constexpr std::int64_t kDay = 86'400'000;
  const std::int64_t ms = time.ms + std::int64_t{time.offset_minutes} * 60'000;
  return static_cast<std::int32_t>((ms >= 0 ? ms : ms - kDay + 1) / kDay);
}

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

ScopeIndex::ScopeIndex(const LanguageMeans& means) {
  for (const ItemKind kind : kItemKinds)
    shelves_[static_cast<std::size_t>(kind)] = std::make_unique<Shelf>(kind == ItemKind::kMessage, means);
}

Status ScopeIndex::add(const ItemRow& item) {
  const std::unique_lock lock(mutex_);
  Shelf& to = shelf(item.item.kind);
  if (to.rows().size() >= WordsIndex::kMaxSlots)
    return too_large("index: more than 16 million items of one kind in a scope");
  if (!item.vector.empty()) WEFT_CHECK(check(item.vector));
  if (places_.contains(item.row)) remove_locked(std::span(&item.row, 1));
  const auto session =
      sessions_.try_emplace(item.item.session.str(), static_cast<std::uint32_t>(sessions_.size())).first;
  const std::uint32_t slot = to.add(item, session->second);
  places_[item.row] = {item.item.kind, slot};
  if (!item.vector.empty()) to.set_vector(slot, item.vector);
  return {};
}

Status ScopeIndex::check(std::span<const float> vector) const {
  if (vector.empty()) return invalid_argument("index: an empty vector");
  for (const auto& one : shelves_) {
    const std::size_t wanted = one->vectors().dimensions();
    if (wanted != 0 && wanted != vector.size())
      return invalid_argument("index: a vector of " + std::to_string(vector.size()) + " numbers among such of " +
                              std::to_string(wanted));
  }
  for (const float value : vector)
    if (!std::isfinite(value)) return invalid_argument("index: a vector with a number that is not finite");
  return {};
}

Status ScopeIndex::set_vector(std::int64_t row, std::span<const float> vector) {
  const std::unique_lock lock(mutex_);
  WEFT_CHECK(check(vector));
  if (const auto place = places_.find(row); place != places_.end())
    shelf(place->second.kind).set_vector(place->second.slot, vector);
  return {};
}

void ScopeIndex::set_active(std::int64_t row, bool active) {
  const std::unique_lock lock(mutex_);
  if (const auto place = places_.find(row); place != places_.end())
    shelf(place->second.kind).set_active(place->second.slot, active);
}

void ScopeIndex::remove(std::span<const std::int64_t> rows) {
  const std::unique_lock lock(mutex_);
  remove_locked(rows);
}

void ScopeIndex::remove_locked(std::span<const std::int64_t> rows) {
  std::array<std::vector<std::uint32_t>, kItemKinds.size()> slots;
  for (const std::int64_t row : rows) {
    const auto place = places_.find(row);
    if (place == places_.end()) continue;
    slots[static_cast<std::size_t>(place->second.kind)].push_back(place->second.slot);
    places_.erase(place);
  }
  for (std::size_t kind = 0; kind < slots.size(); ++kind)
    if (!slots[kind].empty()) shelves_[kind]->remove(slots[kind]);
}

std::optional<std::uint32_t> ScopeIndex::Reading::session(const SessionId& session) const {
  const auto found = index_->sessions_.find(session.str());
  if (found == index_->sessions_.end()) return std::nullopt;
  return found->second;
}

std::size_t ScopeIndex::bytes() const {
  constexpr std::size_t kOfPlace = 56, kOfSession = 96;  // a node of the maps, and its share of their tables
  const std::shared_lock lock(mutex_);
  std::size_t bytes = sizeof(ScopeIndex) + places_.size() * kOfPlace + sessions_.size() * kOfSession;
  for (const auto& one : shelves_) bytes += one->bytes();
  return bytes;
}

std::vector<std::string> ScopeIndex::speakers() const {
  const std::shared_lock lock(mutex_);
  const auto names = shelves_[static_cast<std::size_t>(ItemKind::kMessage)]->speakers();
  return {names.begin() + 1, names.end()};
}

}  // namespace weft
