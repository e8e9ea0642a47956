#include "engine/known_facts.h"

#include "base/log.h"
#include "ports/index/shelf.h"

namespace weft {
namespace {

constexpr std::size_t kMostEvents = 1'000'000;

}  // namespace

KnownFacts::Entry* KnownFacts::entry_of(const std::string& scope) {
  if (const auto at = entries_.find(scope); at != entries_.end()) {
    used_.splice(used_.begin(), used_, at->second.place);
    return &at->second;
  }
  const auto events = store_.items_of_kind(scope, ItemKind::kEvent, kMostEvents);
  if (!events.ok()) {
    // Better a fact twice than one refused or a job that fails for it.
    log_warning("write_gate.read", events.error().message);
    return nullptr;
  }
  if (used_.size() >= kScopes) {
    entries_.erase(used_.back());
    used_.pop_back();
  }
  used_.push_front(scope);
  Entry& entry = entries_[scope];
  entry.place = used_.begin();
  for (const ItemRow& row : *events) {
    if (row.active && row.item.event && row.item.event->superseded_by.empty() && !row.item.event->new_info.empty())
      entry.index.add(row.item.id.str(), row.item.event->new_info, day_of(row.item.time));
  }
  return &entry;
}

std::optional<Refused> KnownFacts::judge(const std::string& scope, std::string_view text, Time said,
                                         GateContext context) {
  const std::lock_guard lock(mutex_);
  context.day = day_of(said);
  if (const Entry* entry = entry_of(scope)) context.known = &entry->index;
  return weft::judge(text, context);
}

void KnownFacts::add(const std::string& scope, const Item& event) {
  if (!event.event) return;
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(scope);
  if (at == entries_.end()) return;
  // A fact that was replaced may come back: "lives in Berlin" is news again after Lisbon.
  if (!event.event->superseded_by.empty())
    at->second.index.remove(event.id.str());
  else if (!event.event->new_info.empty())
    at->second.index.add(event.id.str(), event.event->new_info, day_of(event.time));
}

void KnownFacts::forget(const std::string& scope) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(scope);
  if (at == entries_.end()) return;
  used_.erase(at->second.place);
  entries_.erase(at);
}

}  // namespace weft
