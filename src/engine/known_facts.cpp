#include "engine/known_facts.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "ports/index/scope_index.h"

namespace weft {
namespace {

constexpr std::size_t kMostEvents = 1'000'000;

constexpr int kLongestChain = 100;  // of facts that replaced each other

std::string source_of(const SessionId& session, const MessageId& id) { return session.str() + "\n" + id.str(); }

// The ended fact, with the fact that replaced it in the end, unless that one has ended, too.
OverPart over_part(const std::map<std::string, KnownFact>& facts, const KnownFact& fact) {
  const KnownFact* last = &fact;
  for (int i = 0; i < kLongestChain && !last->superseded_by.empty(); ++i) {
    const auto next = facts.find(last->superseded_by.str());
    if (next == facts.end()) break;
    last = &next->second;
  }
  OverPart part{fact.text, *fact.until};
  if (last->until) return part;
  part.newer = last->id;
  part.newer_session = last->session;
  part.newer_sources = last->sources;
  return part;
}

// An answer that repeats what somebody said in the same conversation repeats what is over.
void add_echoes(const std::map<std::string, KnownFact>& facts,
                const std::multimap<std::string, const KnownFact*>& replaced, const Item& item,
                std::vector<OverPart>& parts) {
  constexpr std::size_t kShortestQuote = 12;
  const std::string first = item.session.str() + "\n";
  for (auto at = replaced.lower_bound(first); at != replaced.end() && at->first.starts_with(first); ++at) {
    const KnownFact& fact = *at->second;
    std::string_view quote = fact.quote;
    while (!quote.empty() && std::string_view(" .!,").find(quote.back()) != std::string_view::npos)
      quote.remove_suffix(1);
    if (quote.size() >= kShortestQuote && item.text.find(quote) != std::string::npos)
      parts.push_back(over_part(facts, fact));
  }
}

// By what it has replaced.
std::string first_of(const std::map<std::string, KnownFact>& facts, const KnownFact& fact) {
  const KnownFact* first = &fact;
  for (int i = 0; i < kLongestChain && !first->supersedes.empty(); ++i) {
    const auto before = facts.find(first->supersedes.str());
    if (before == facts.end() || before->second.attribute != fact.attribute) break;
    first = &before->second;
  }
  return first->text;
}

}  // namespace

// Reading a scope keeps nobody waiting who asks for another one.
KnownFacts::Held KnownFacts::entry_of(const ScopeKey& scope) {
  Held held;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = entries_.find(scope); at != entries_.end()) {
      used_.splice(used_.begin(), used_, at->second.used);
      held.entry = at->second.entry;
    } else {
      if (used_.size() >= kScopes) {
        entries_.erase(used_.back());
        used_.pop_back();
      }
      used_.push_front(scope);
      held.entry = std::make_shared<Entry>();
      entries_[scope] = {held.entry, used_.begin()};
    }
  }
  held.lock = std::unique_lock(held.entry->mutex);
  if (held->read) return held;
  const auto events = store_.items().of_kind(scope, ItemKind::kEvent, kMostEvents);
  if (!events.ok()) {
    // Better a fact twice than one refused or a job that fails for it; the next call tries again.
    log_warning("write_gate.read", events.error().message);
    return held;
  }
  for (const ItemRow& row : *events)
    if (row.active) take_in(*held.entry, row.item);
  held->read = true;
  return held;
}

void KnownFacts::take_in(Entry& entry, const Item& event) {
  if (!event.event || event.event->new_info.empty()) return;
  const EventDetails& details = *event.event;
  // A fact that was replaced may come back: "lives in Berlin" is news again after Lisbon.
  if (details.superseded_by.empty())
    entry.index.add(event.id.str(), details.new_info, day_of(event.time));
  else
    entry.index.remove(event.id.str());
  std::erase_if(entry.replaced, [&event](const auto& pair) { return pair.second->id == event.id; });
  KnownFact& fact = entry.facts[event.id.str()];
  fact = {event.id,
          details.new_info,
          details.attribute,
          details.quote,
          UserId(details.sender_id),
          event.session,
          event.sources,
          event.time,
          event.position,
          details.valid_until,
          details.supersedes,
          details.superseded_by,
          {}};
  if (!fact.until) return;
  for (const MessageId& id : fact.sources) entry.replaced.emplace(source_of(fact.session, id), &fact);
}

std::optional<Refused> KnownFacts::judge(const ScopeKey& scope, std::string_view text, Time said, GateContext context) {
  context.day = day_of(said);
  const Held entry = entry_of(scope);
  context.known = &entry->index;
  return weft::judge(text, context);
}

void KnownFacts::add(const ScopeKey& scope, const Item& event) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(scope);
    if (at == entries_.end()) return;
    entry = at->second.entry;
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->read) take_in(*entry, event);
}

std::vector<OverPart> KnownFacts::over(const ScopeKey& scope, const Item& item) {
  std::vector<OverPart> parts;
  if (item.event && item.event->is_fact() && !item.event->valid_until) return parts;
  const Held entry = entry_of(scope);
  if (entry->replaced.empty()) return parts;
  if (item.event && item.event->is_fact()) {
    const auto fact = entry->facts.find(item.id.str());
    if (fact != entry->facts.end() && fact->second.until) parts.push_back(over_part(entry->facts, fact->second));
    return parts;
  }
  for (const MessageId& id : item.sources) {
    const auto [begin, end] = entry->replaced.equal_range(source_of(item.session, id));
    for (auto at = begin; at != end; ++at) parts.push_back(over_part(entry->facts, *at->second));
  }
  if (parts.empty()) add_echoes(entry->facts, entry->replaced, item, parts);
  std::stable_sort(parts.begin(), parts.end(), [](const OverPart& a, const OverPart& b) { return a.until < b.until; });
  return parts;
}

std::vector<KnownFact> KnownFacts::wishes(const ScopeKey& scope, const std::optional<UserId>& sender) {
  std::vector<KnownFact> found;
  const Held entry = entry_of(scope);
  for (const auto& [id, fact] : entry->facts)
    if (!fact.until && fact.attribute.starts_with("wish:") && (!sender || fact.sender == *sender))
      found.push_back(fact);
  std::stable_sort(found.begin(), found.end(), [](const KnownFact& a, const KnownFact& b) {
    return std::pair(a.time.ms, a.position) < std::pair(b.time.ms, b.position);
  });
  return found;
}

std::optional<KnownFact> KnownFacts::newest(const ScopeKey& scope,
                                            const std::function<bool(const KnownFact&)>& wanted) {
  const Held entry = entry_of(scope);
  const KnownFact* best = nullptr;
  for (const auto& [id, fact] : entry->facts) {
    if (fact.until || !wanted(fact)) continue;
    if (best == nullptr || std::pair(best->time.ms, best->position) < std::pair(fact.time.ms, fact.position))
      best = &fact;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::vector<KnownFact> KnownFacts::holding(const ScopeKey& scope, const std::optional<UserId>& sender,
                                           std::int64_t before, std::size_t most) {
  std::vector<KnownFact> found;
  {
    const Held entry = entry_of(scope);
    for (const auto& [id, fact] : entry->facts)
      if (!fact.until && !fact.attribute.empty() && !fact.attribute.starts_with("wish:") && fact.position < before &&
          (!sender || fact.sender == *sender)) {
        found.push_back(fact);
        found.back().first = first_of(entry->facts, fact);
      }
  }
  std::stable_sort(found.begin(), found.end(), [](const KnownFact& a, const KnownFact& b) {
    return std::pair(a.time.ms, a.position) > std::pair(b.time.ms, b.position);
  });
  if (found.size() > most) found.resize(most);
  return found;
}

std::set<std::string> KnownFacts::told_by(const ScopeKey& scope, const SessionId& session, const MessageId& message) {
  std::set<std::string> told;
  const Held entry = entry_of(scope);
  for (const auto& [id, fact] : entry->facts)
    if (fact.session == session && std::find(fact.sources.begin(), fact.sources.end(), message) != fact.sources.end())
      told.insert(fact.attribute);
  return told;
}

void KnownFacts::forget(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(scope);
  if (at == entries_.end()) return;
  used_.erase(at->second.used);
  entries_.erase(at);
}

}  // namespace weft
