#include "ports/index/shelf.h"

#include <algorithm>

#include "text/question.h"

namespace weft {

std::uint32_t Shelf::add(const ItemRow& item, std::uint32_t session) {
  const auto slot = static_cast<std::uint32_t>(rows_.size());
  std::vector<Term> terms = item.terms;
  const bool question = std::erase(terms, question_mark_term()) > 0;
  const auto words = static_cast<std::uint32_t>(terms.size());
  words_.add(slot, terms);
  rows_.push_back(item.row);
  const bool part = links_ && slot > 0 && rows_[slot - 1] != 0 && units_.back().session == session &&
                    units_.back().position == item.item.position;
  if (part) {
    Unit& unit = units_.back();
    ++unit.slots;
    unit.words += words;
    unit.question = false;  // a message of several parts says more
  } else {
    Unit unit;
    unit.first_slot = slot;
    unit.slots = 1;
    unit.position = item.item.position;
    unit.time_ms = item.item.time.ms;
    unit.day = day_of(item.item.time);
    first_day_ = std::min(first_day_, unit.day);
    last_day_ = std::max(last_day_, unit.day);
    unit.session = session;
    unit.words = words;
    unit.speaker = speaker_number(item.speaker);
    unit.active = item.active;
    unit.assistant =
        item.role == Role::kAssistant && (item.speaker.empty() || item.speaker == to_string(Role::kAssistant));
    unit.question = question;
    units_.push_back(unit);
    if (item.active) link(static_cast<std::uint32_t>(units_.size() - 1));
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

std::int32_t day_of(Time time) {
  constexpr std::int64_t kDay = 86'400'000;
  const std::int64_t ms = time.ms + std::int64_t{time.offset_minutes} * 60'000;
  return static_cast<std::int32_t>((ms >= 0 ? ms : ms - kDay + 1) / kDay);
}

}  // namespace weft
