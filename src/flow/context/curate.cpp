#include "flow/context/curate.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

#include "base/call_context.h"
#include "base/log.h"
#include "base/threads.h"
#include "flow/context/candidates.h"
#include "flow/context/shorten.h"
#include "flow/context/skeleton.h"
#include "text/utf8.h"

namespace weft {
namespace {

LayerEntry layer_entry(const CuratedEntry& entry) {
  LayerEntry written{entry.id, entry.type, entry.name, entry.text, {}, std::string(source_of(entry.chain))};
  if (entry.turn > 0) written.turn = entry.turn;
  if (entry.type == to_string(entry.chain)) written.type.clear();
  return written;
}

bool same_place(const EntryPlacement& a, const EntryPlacement& b) {
  return a.position == b.position && a.depth == b.depth && a.role == b.role;
}

}  // namespace

std::vector<CuratedEntry> fetch_entries(const CandidatePool& pool, const std::vector<std::size_t>& places,
                                        const FetchEntry& fetch, std::vector<std::string>& notes) {
  std::vector<CuratedEntry> entries;
  for (const std::size_t place : places) {
    if (place >= pool.items.size() || !fetch) continue;
    const CurationCandidate& candidate = pool.items[place];
    Result<CuratedEntry> entry = fetch(candidate);
    if (!entry.ok()) {
      notes.push_back(candidate.id + ": " + entry.error().message);
      continue;
    }
    if (entry->text.empty()) continue;
    entry->id = candidate.id;
    entry->chain = candidate.chain;
    entry->score = candidate.score;
    if (entry->name.empty()) entry->name = candidate.name;
    if (entry->type.empty()) entry->type = to_string(candidate.chain);
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::string render_entries(const std::vector<CuratedEntry>& entries, const LayerLabels& labels) {
  ProbabilisticLayer layer{labels.model, labels.rationale, {}};
  for (const CuratedEntry& entry : entries) layer.entries.push_back(layer_entry(entry));
  return filament_layer(layer);
}

std::vector<FloatingBlock> make_blocks(const std::vector<CuratedEntry>& entries, const LayerLabels& labels,
                                       const InjectOptions& options, const RenderEntries& render) {
  std::vector<std::vector<CuratedEntry>> groups;
  for (const CuratedEntry& entry : entries) {
    const auto together = [&](const std::vector<CuratedEntry>& group) {
      return !options.block_per_entry && same_place(group.front().placement, entry.placement);
    };
    const auto group = std::find_if(groups.begin(), groups.end(), together);
    if (group == groups.end())
      groups.push_back({entry});
    else
      group->push_back(entry);
  }
  // What asks for no place of its own comes first. Entries that float alone stay in the order of their worth.
  if (!options.block_per_entry)
    std::stable_partition(groups.begin(), groups.end(),
                          [](const auto& group) { return !group.front().placement.any(); });
  std::vector<FloatingBlock> blocks;
  for (std::vector<CuratedEntry>& group : groups) {
    const auto priority = [&](const CuratedEntry& entry) {
      return entry.placement.priority.value_or(options.priority);
    };
    std::stable_sort(group.begin(), group.end(),
                     [&](const CuratedEntry& a, const CuratedEntry& b) { return priority(a) < priority(b); });
    const EntryPlacement& placement = group.back().placement;
    FloatingBlock block;
    block.id = group.size() == 1 && (options.block_per_entry || placement.any()) ? group.front().id : "curation";
    block.content = render ? render(group, labels) : render_entries(group, labels);
    block.role = placement.role.value_or(options.role);
    block.position = placement.position.value_or(options.position);
    block.depth = placement.depth.value_or(options.depth);
    block.priority = priority(group.back());
    if (!block.content.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

namespace {

// A shorter entry than this says nothing.
constexpr std::int64_t kLeastEntry = 40;

ReportItem report_of(const CuratedEntry& entry, std::int64_t tokens, bool kept, std::string why) {
  return {entry.id, std::string(source_of(entry.chain)), entry.score, tokens, kept, std::move(why), entry.name};
}

/// The room as it is used up.
class Fitting {
 public:
  Fitting(const CurationRoom& room, const TokenCounter& tokens, const EntriesToWeave& entries)
      : room_(room), tokens_(tokens), query_(entries.query) {
    left_ = room.tokens - tokens.count(render_entries({CuratedEntry()}, entries.labels));
  }

  void take(CuratedEntry entry, const std::string& why) {
    const auto same = [&](const CuratedEntry& one) { return one.id == entry.id && one.chain == entry.chain; };
    if (std::any_of(kept_.begin(), kept_.end(), same)) return;
    if (entry.item && room_.shown && room_.shown(*entry.item)) {
      items_.push_back(report_of(entry, 0, false, "stands in the prompt already"));
      return;
    }
    std::int64_t cost = cost_of(entry);
    std::string kept_why = why;
    if (cost > left_ && left_ >= kLeastEntry && cost > room_.tokens / 2) {
      cost = shorten(entry);
      kept_why += ", shortened";
    }
    const bool keep = cost <= left_ && !entry.text.empty();
    items_.push_back(report_of(entry, cost, keep, keep ? kept_why : "over budget"));
    if (!keep) return;
    left_ -= cost;
    kept_.push_back(std::move(entry));
  }

  std::vector<CuratedEntry> kept() { return std::move(kept_); }
  std::vector<ReportItem> items() { return std::move(items_); }

 private:
  // Fencing lengthens a text by what depends on it: a little less each time until it fits.
  std::int64_t shorten(CuratedEntry& entry) const {
    const std::string whole = entry.text;
    std::int64_t cost = cost_of(entry);
    const std::int64_t around = std::min(cost - tokens_.count(whole), left_ / 2);
    for (double part = 1; cost > left_ && part > 0.2; part -= 0.2) {
      entry.text =
          shorten_profile(whole, query_, static_cast<std::int64_t>(part * static_cast<double>(left_ - around)));
      cost = cost_of(entry);
    }
    return cost;
  }

  std::int64_t cost_of(const CuratedEntry& entry) const {
    static const CuratedEntry nothing;
    return tokens_.count(render_entries({entry}, {})) - tokens_.count(render_entries({nothing}, {})) + 4;
  }

  const CurationRoom& room_;
  const TokenCounter& tokens_;
  const std::string& query_;
  std::int64_t left_ = 0;
  std::vector<CuratedEntry> kept_;
  std::vector<ReportItem> items_;
};

}  // namespace

Curated weave_entries(EntriesToWeave entries, const CurationRoom& room, const TokenCounter& tokens) {
  Fitting fitting(room, tokens, entries);
  std::stable_sort(entries.called.begin(), entries.called.end(), [](const CuratedEntry& a, const CuratedEntry& b) {
    return a.placement.priority.value_or(0) > b.placement.priority.value_or(0);
  });
  for (CuratedEntry& entry : entries.called) fitting.take(std::move(entry), "called up by its keys");
  for (CuratedEntry& entry : entries.chosen) fitting.take(std::move(entry), "curated");
  Curated curated;
  const std::vector<CuratedEntry> kept = fitting.kept();
  curated.items = fitting.items();
  for (const CuratedEntry& entry : kept)
    if (entry.item) curated.shown.push_back(*entry.item);
  curated.blocks = make_blocks(kept, entries.labels, entries.options);
  return curated;
}

std::string standing_lore(const std::vector<const LoreEntry*>& constant) {
  std::vector<const LoreEntry*> sorted = constant;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LoreEntry* a, const LoreEntry* b) { return a->order < b->order; });
  std::vector<LayerEntry> entries;
  for (const LoreEntry* lore : sorted)
    entries.push_back({lore->id,
                       lore->tags.empty() ? "" : lore->tags.front(),
                       lore->title,
                       lore->text,
                       {},
                       std::string(source_of(Chain::kLore))});
  return filament_world(entries);
}

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

/// What the caller and a worker share. The request belongs to the worker; the rest is guarded.
struct CurationJob {
  CurateRequest request;
  CallContext context;  // of who asked for it
  std::chrono::steady_clock::time_point started, until;
  bool prefetched_at_once = false;
  bool floor_when_late = true;
  std::uint64_t ticket = 0;

  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<Curation> without_model;  // ready long before the model has answered
  std::optional<Curation> result;
  std::optional<Prefetched> prefetched;
  bool left = false;       // nobody waits any more
  bool served_floor = false;
  bool forgotten = false;

  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  }
};

namespace {

constexpr std::size_t kRationale = 120;  // characters

std::string rationale(const PlanContext& plan, const std::string& input) {
  std::string focus;
  for (const std::string& keyword : plan.search_intent.focus_keywords) {
    if (focus.size() > 4 * kRationale) break;
    focus += (focus.empty() ? "" : ", ") + keyword;
  }
  return "Looked for: " +
         preview(cut_bytes(focus.empty() ? std::string_view(input) : focus, 4 * kRationale), kRationale);
}

Curation nothing(CurationStatus status, std::string why) {
  Curation curation;
  curation.status = status;
  curation.why = std::move(why);
  return curation;
}

Curation curation_of(const CurateRequest& request, const CandidatePool& pool, Selection selection) {
  Curation curation;
  curation.status = CurationStatus::kDone;
  curation.notes = pool.notes;
  curation.entries = fetch_entries(pool, selection.places, request.fetch, curation.notes);
  for (const std::string& id : selection.dropped) curation.notes.push_back("not taken: " + id);
  curation.labels = {selection.model, rationale(request.what.plan, request.what.input)};
  curation.by = selection.by;
  curation.why = std::move(selection.why);
  curation.pool = pool.items;
  return curation;
}

Curation from_prefetched(Prefetched prefetched) {
  Curation curation = nothing(CurationStatus::kPrefetched, "looked for in an earlier turn");
  curation.entries = std::move(prefetched.entries);
  curation.labels = std::move(prefetched.labels);
  curation.by = prefetched.by;
  return curation;
}

// What a caller gets who waits no longer. The job's lock is held.
Curation late(CurationJob& job) {
  if (job.prefetched) return from_prefetched(std::move(*job.prefetched));
  if (!job.without_model || !job.floor_when_late) return nothing(CurationStatus::kLate, "late");
  Curation curation = std::move(*job.without_model);
  curation.status = CurationStatus::kLate;
  curation.why = "the model was late";
  job.served_floor = true;
  return curation;
}

void finish(CurationJob& job, Curation curation) {
  const std::lock_guard lock(job.mutex);
  job.result = std::move(curation);
  job.changed.notify_all();
}

}  // namespace

std::string_view to_string(CurationStatus status) {
  switch (status) {
    case CurationStatus::kDone: return "done";
    case CurationStatus::kPrefetched: return "prefetched";
    case CurationStatus::kLate: return "late";
    case CurationStatus::kSkipped: return "skipped";
  }
  return "skipped";
}

PendingCuration::PendingCuration(std::shared_ptr<CurationJob> job) : job_(std::move(job)) {}

PendingCuration::~PendingCuration() {
  if (!job_) return;
  const std::lock_guard lock(job_->mutex);
  job_->left = true;
}

Curation PendingCuration::wait(const Deadline& deadline) {
  CurationJob& job = *job_;
  const auto until = deadline.until() ? std::min(job.until, *deadline.until()) : job.until;
  std::unique_lock lock(job.mutex);
  const auto ready = [&job] {
    return job.result || job.forgotten || (job.prefetched_at_once && job.prefetched.has_value());
  };
  job.changed.wait_until(lock, deadline.cancel(), until, ready);
  const bool done = job.result.has_value();
  Curation curation = job.forgotten ? nothing(CurationStatus::kSkipped, "its memory was erased meanwhile")
                      : done        ? std::move(*job.result)
                                    : late(job);
  job.left = !done;
  curation.ms = job.ms();
  const std::shared_ptr<CurationJob> kept = std::move(job_);  // the lock is in it
  lock.unlock();
  return curation;
}

Curator::Curator(CurateOptions options, ChatModel* model)
    : options_(std::move(options)), model_(model), prefetch_(options_.prefetch) {
  const std::size_t most = std::max<std::size_t>(options_.workers, 1);
  workers_.reserve(most);
  while (workers_.size() < most) {
    std::jthread worker;
    const Status begun = start_thread(worker, "curation", [this](const std::stop_token& stop) { work(stop); });
    if (!begun.ok()) {
      log_error("curation", begun.error().message + "; " + std::to_string(workers_.size()) + " threads choose");
      break;
    }
    workers_.push_back(std::move(worker));
  }
}

Curator::~Curator() {
  std::deque<std::shared_ptr<CurationJob>> left;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    left.swap(queue_);
  }
  cancel_.request_stop();
  for (const auto& job : left) finish(*job, nothing(CurationStatus::kSkipped, "shutting down"));
}

PendingCuration Curator::start(CurateRequest request) {
  auto job = std::make_shared<CurationJob>();
  job->started = std::chrono::steady_clock::now();
  job->until = job->started + options_.timeout;
  job->prefetched_at_once = options_.prefetched_at_once;
  job->floor_when_late = options_.floor_when_late;
  job->request = std::move(request);
  job->context = CallContext::to_hand_over();
  const CurateRequest& wish = job->request;
  if (!wish.what.plan.search_intent.enabled) {
    job->result = nothing(CurationStatus::kSkipped, "the plan does not search");
    return PendingCuration(std::move(job));
  }
  // Before anything is looked up: what is erased from now on must not come in.
  job->ticket = prefetch_.ticket();
  job->prefetched = prefetch_.take_if_relevant(wish.key, wish.what.plan, wish.what.input, wish.living);
  if (!enqueue(job)) {
    const std::lock_guard lock(job->mutex);
    if (!job->prefetched)
      job->result = nothing(CurationStatus::kSkipped, "too many others are waiting");
    else
      job->prefetched_at_once = true;
  }
  return PendingCuration(std::move(job));
}

// False where there is no room. What nobody waits for any more of the same session makes room: it would be stale.
bool Curator::enqueue(const std::shared_ptr<CurationJob>& job) {
  const std::lock_guard lock(mutex_);
  // Something was erased since: that may be in it. What is erased from here on finds the job among those under way.
  if (prefetch_.ticket() != job->ticket) job->prefetched.reset();
  std::erase_if(under_way_, [](const auto& one) { return one.expired(); });
  std::erase_if(queue_, [&](const auto& one) {
    const std::lock_guard its(one->mutex);
    return one->left && one->request.key == job->request.key;
  });
  if (ending_ || workers_.empty() || queue_.size() >= options_.queue) return false;
  queue_.push_back(job);
  under_way_.push_back(job);
  wake_.notify_one();
  return true;
}

void Curator::forget(const ScopeKey& scope) {
  prefetch_.clear(scope);
  const std::lock_guard lock(mutex_);
  for (const auto& weak : under_way_) {
    const auto job = weak.lock();
    if (!job || job->request.key.scope != scope) continue;
    const std::lock_guard its(job->mutex);
    job->forgotten = true;
    job->changed.notify_all();
  }
}

void Curator::work(const std::stop_token& stop) {
  while (true) {
    std::shared_ptr<CurationJob> job;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !queue_.empty(); })) return;
      job = std::move(queue_.front());
      queue_.pop_front();
    }
    const CallScope scope(job->context);
    try {
      run(*job);
    } catch (const std::exception& error) {  // of a callback: it costs this prompt's curation, not the process
      finish(*job, nothing(CurationStatus::kSkipped, std::string("failed: ") + error.what()));
    }
  }
}

void Curator::run(CurationJob& job) {
  const CurateRequest& request = job.request;
  const Deadline deadline(job.started + options_.background, cancel_.get_token());
  const CandidatePool pool = gather_candidates(request.ports, request.what, options_.candidates, deadline);
  if (model_ != nullptr && !pool.items.empty()) {
    Curation floor = curation_of(request, pool, select_by_floor(pool, request.what.plan, options_.selector, ""));
    const std::lock_guard lock(job.mutex);
    job.without_model = std::move(floor);
  }
  Selection selection =
      select(pool, request.what.plan, request.recent, request.what.input, model_, options_.selector, deadline);
  Curation curation = curation_of(request, pool, std::move(selection));
  const std::lock_guard lock(job.mutex);
  if (!job.left) {
    job.result = std::move(curation);
    job.changed.notify_all();
    return;
  }
  // Without the model's choice the next turn finds as much by itself.
  const bool worth = !curation.entries.empty() && (curation.by == MadeBy::kModel || !job.served_floor);
  if (worth && !job.forgotten)
    prefetch_.put(request.key,
                  {std::move(curation.entries),
                   std::move(curation.labels),
                   curation.by,
                   {request.what.plan, request.what.input, request.head}},
                  job.ticket);
}

}  // namespace weft
