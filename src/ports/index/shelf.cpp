#include "ports/index/shelf.h"

#include <algorithm>
#include <limits>

namespace weft {

Shelf::Shelf(std::size_t dimensions, bool links) : links_(links), vectors_(dimensions), speakers_{""} {}

std::uint32_t Shelf::add(const IndexEntry& entry) {
  const auto slot = static_cast<std::uint32_t>(rows_.size());
  words_.add(slot, entry.terms);
  rows_.push_back(entry.row);
  const bool part = links_ && slot > 0 && rows_[slot - 1] != 0 && units_.back().session == entry.session &&
                    units_.back().position == entry.position;
  if (part) {
    Unit& unit = units_.back();
    ++unit.slots;
    unit.words += static_cast<std::uint32_t>(entry.terms.size());
    unit.question = false;  // a message of several parts is not a short question
  } else {
    Unit unit;
    unit.first_slot = slot;
    unit.slots = 1;
    unit.position = entry.position;
    unit.time_ms = entry.time.ms;
    unit.day = pack_day(entry.time);
    unit.session = entry.session;
    unit.words = static_cast<std::uint32_t>(entry.terms.size());
    unit.speaker = speaker_number(entry.speaker);
    unit.active = entry.active;
    unit.assistant = entry.assistant;
    unit.question = entry.question;
    units_.push_back(unit);
    if (entry.active) link(static_cast<std::uint32_t>(units_.size() - 1));
  }
  unit_of_.push_back(static_cast<std::uint32_t>(units_.size() - 1));
  return slot;
}

void Shelf::set_active(std::uint32_t slot, bool active) {
  const std::uint32_t number = unit_of_[slot];
  if (units_[number].active == active) return;
  units_[number].active = active;
  if (active)
    link(number);
  else
    unlink(number);
}

void Shelf::remove(std::span<const std::uint32_t> slots) {
  std::vector<std::uint8_t> gone(rows_.size(), 0);
  for (const std::uint32_t slot : slots) {
    gone[slot] = 1;
    rows_[slot] = 0;
    vectors_.clear(slot);
    Unit& unit = units_[unit_of_[slot]];
    bool empty = true;
    for (std::uint32_t i = 0; i < unit.slots; ++i) empty = empty && rows_[unit.first_slot + i] == 0;
    if (empty) set_active(slot, false);
  }
  words_.purge(gone);
}

std::size_t Shelf::bytes() const {
  return units_.capacity() * sizeof(Unit) + rows_.capacity() * sizeof(std::int64_t) +
         unit_of_.capacity() * sizeof(std::uint32_t) + tails_.capacity() * sizeof(std::uint32_t) + words_.bytes() +
         vectors_.bytes();
}

std::uint16_t Shelf::speaker_number(std::string_view name) {
  if (name.empty()) return 0;
  const auto known = speaker_numbers_.find(std::string(name));
  if (known != speaker_numbers_.end()) return known->second;
  // A scope with more speakers than this is a public channel; the later ones are treated as nobody by name.
  if (speakers_.size() >= std::numeric_limits<std::uint16_t>::max()) return 0;
  const auto number = static_cast<std::uint16_t>(speakers_.size());
  speakers_.emplace_back(name);
  speaker_numbers_.emplace(name, number);
  return number;
}

void Shelf::link(std::uint32_t number) {
  if (!links_) return;
  Unit& unit = units_[number];
  if (tails_.size() <= unit.session) tails_.resize(unit.session + 1, kNone);
  // Items come in order, so that the place is nearly always at the end.
  std::uint32_t before = tails_[unit.session], after = kNone;
  while (before != kNone && units_[before].position > unit.position) {
    after = before;
    before = units_[before].previous;
  }
  unit.previous = before;
  unit.next = after;
  if (before != kNone) units_[before].next = number;
  if (after != kNone)
    units_[after].previous = number;
  else
    tails_[unit.session] = number;
}

void Shelf::unlink(std::uint32_t number) {
  if (!links_) return;
  Unit& unit = units_[number];
  if (unit.previous != kNone) units_[unit.previous].next = unit.next;
  if (unit.next != kNone)
    units_[unit.next].previous = unit.previous;
  else
    tails_[unit.session] = unit.previous;
  unit.previous = unit.next = kNone;
}

std::uint32_t pack_day(Time time) {
  // Days since 0000-03-01 and from them the civil date, in years of 365.2425 days that begin in March.
  const std::int64_t ms = time.ms + std::int64_t{time.offset_minutes} * 60'000;
  constexpr std::int64_t kDay = 86'400'000;
  const std::int64_t days = (ms >= 0 ? ms : ms - kDay + 1) / kDay + 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
  const std::int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  if (year < 0) return 0;
  return static_cast<std::uint32_t>(year) << 9 | static_cast<std::uint32_t>(month) << 5 | static_cast<std::uint32_t>(day);
}

}  // namespace weft
