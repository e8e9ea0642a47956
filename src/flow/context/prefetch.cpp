#include "flow/context/prefetch.h"

#include <algorithm>
#include <iterator>

#include "flow/context/word_set.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kFocusBytes = 8192;  // of keywords and input that are compared
constexpr double kSameQuest = 0.5;

WordSet keyword_set(const PlanContext& plan) {
  std::string text;
  for (const std::string& keyword : plan.search_intent.focus_keywords) {
    if (text.size() > kFocusBytes) break;
    text += keyword + "\n";
  }
  return WordSet(cut_bytes(text, kFocusBytes));
}

double shared(const WordSet& a, const WordSet& b) {
  return a.terms().size() <= b.terms().size() ? a.share_in(b) : b.share_in(a);
}

// Of what a plan looks for; what it wants said does not matter here.
std::uint64_t digest(const PlanContext& plan) {
  std::string text = plan.active_quest_id.value_or("") + "\x1f" + plan.search_intent.temporal_context;
  for (const std::string& keyword : plan.search_intent.focus_keywords) text += "\x1f" + keyword;
  return std::hash<std::string>{}(text);
}

}  // namespace

double focus_overlap(const PlanContext& then, std::string_view input_then, const PlanContext& now,
                     std::string_view input_now) {
  const bool both = then.active_quest_id && now.active_quest_id;
  if (both && *then.active_quest_id != *now.active_quest_id) return 0;
  WordSet words_then = keyword_set(then), words_now = keyword_set(now);
  // Where only one plan has keywords, they may stand in what the other's user said.
  if (words_then.empty() || words_now.empty()) {
    words_then.add(WordSet(cut_bytes(input_then, kFocusBytes)));
    words_now.add(WordSet(cut_bytes(input_now, kFocusBytes)));
    return std::max(shared(words_then, words_now), both ? kSameQuest : 0);
  }
  return shared(words_then, words_now);
}

Prefetch::Prefetch(PrefetchOptions options, std::function<Time()> now) : options_(options), now_(std::move(now)) {}

std::uint64_t Prefetch::ticket() const {
  const std::lock_guard lock(mutex_);
  return cleared_;
}

void Prefetch::put(const PrefetchKey& key, Prefetched result, std::uint64_t ticket) {
  Entry entry{key, digest(result.origin.plan), now_ ? now_() : std::chrono::steady_clock::now(), std::move(result)};
  const std::lock_guard lock(mutex_);
  if (ticket != cleared_) return;
  std::erase_if(entries_, [&](const Entry& one) { return one.key == key && one.plan == entry.plan; });
  const auto of_session = [&](const Entry& one) { return one.key == key; };
  if (static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), of_session)) >=
      std::max<std::size_t>(options_.entries_of_session, 1))
    entries_.erase(std::find_if(entries_.begin(), entries_.end(), of_session));
  entries_.push_back(std::move(entry));
  while (entries_.size() > options_.entries) entries_.pop_front();
}

std::vector<Prefetch::Entry> Prefetch::take_all(const PrefetchKey& key) {
  std::vector<Entry> taken;
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->key == key) {
      taken.push_back(std::move(*entry));
      entries_.erase(entry);
    }
    entry = next;
  }
  return taken;
}

std::optional<Prefetched> Prefetch::take_if_relevant(const PrefetchKey& key, const PlanContext& plan,
                                                     std::string_view input, const Living& living) {
  // All of them leave: what does not fit now will be older and further off the next time.
  std::vector<Entry> taken = take_all(key);
  const Time now = now_ ? now_() : std::chrono::steady_clock::now();
  std::optional<Prefetched> best;
  double best_overlap = 0;
  for (auto entry = taken.rbegin(); entry != taken.rend(); ++entry) {  // of equal ones the newest
    const PrefetchOrigin& origin = entry->result.origin;
    if (now - entry->made > options_.max_age) continue;
    if (living && !living(origin.head)) continue;
    const double overlap = focus_overlap(origin.plan, origin.input, plan, input);
    if (overlap < options_.min_overlap || overlap <= best_overlap) continue;
    best_overlap = overlap;
    best = std::move(entry->result);
  }
  return best;
}

void Prefetch::clear(const ScopeKey& scope) {
  const std::lock_guard lock(mutex_);
  ++cleared_;
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key.scope == scope; });
}

std::size_t Prefetch::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace weft
