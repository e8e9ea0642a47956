#include "engine/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <thread>

#include "base/log.h"
#include "base/metrics.h"
#include "engine/embedder_model.h"
#include "engine/engine_core.h"
#include "engine/engine_impl.h"
#include "flow/recall/item_words.h"
#include "ports/store/store.h"
#include "weft/version.h"

namespace weft {

// The index against what it was made from.

namespace {

constexpr std::size_t kAtOnce = 200;  // entries read at a time
constexpr std::size_t kSample = 24;   // vectors that are made again
// A model gives the same text the same vector, but for the rounding of another processor or endpoint.
constexpr double kSameVector = 0.98;
constexpr double kUnit = 0.01;  // a length may differ from 1 by so much
constexpr std::chrono::seconds kOneVector{30};

std::string key_of(const SessionId& session, const MessageId& message) {
  return std::to_string(session.str().size()) + ":" + session.str() + message.str();
}

bool is_unit(const std::vector<float>& vector) {
  double length = 0;
  for (const float one : vector) length += static_cast<double>(one) * static_cast<double>(one);
  return std::isfinite(length) && std::abs(std::sqrt(length) - 1) < kUnit;
}

// Whether recall would find anything of the message.
bool has_items(const LimitsSettings& limits, const MessageRow& message) {
  std::vector<ItemRow> items;
  add_message_items(limits, message, items);
  return !items.empty();
}

constexpr std::size_t kWrittenAtOnce = 64;

}  // namespace

Result<IndexCheck> EngineImpl::check_index(bool mend) { return IndexCheckup(core_, mend).run(); }

IndexCheckup::IndexCheckup(EngineCore& core, bool mend) : core_(core), mend_(mend), serving_(core.change->serving()) {
  if (serving_->embedder() != nullptr) dimensions_ = serving_->embedder()->dimensions();
}

Result<IndexCheck> IndexCheckup::run() {
  WEFT_CHECK(look_at_file());
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& key : scopes) {
    Scope scope;
    scope.key = key;
    for (const ItemKind kind : kItemKinds) {
      scope.of(kind).scope = key;
      scope.of(kind).kind = kind;
    }
    WEFT_CHECK(look_at(scope));
    if (mend_) WEFT_CHECK(mend(scope));
    for (const ShelfCheck& shelf : scope.shelves)
      if (shelf.rows + shelf.missing > 0) found_.shelves.push_back(shelf);
  }
  WEFT_CHECK(compare_drawn());
  if (mend_ && found_.other_model()) WEFT_CHECK(forget_all_vectors());
  return std::move(found_);
}

Status IndexCheckup::look_at_file() {
  Soundness* const store = soundness_of(*core_.store);
  if (store == nullptr) return {};
  WEFT_TRY(found_.faults, store->faults());
  if (!mend_ || found_.faults.empty()) return {};
  // What stands in no row is made anew from the rows; whether that was all, a second look tells.
  const std::size_t before = found_.faults.size();
  WEFT_CHECK(store->rebuild());
  WEFT_TRY(found_.faults, store->faults());
  found_.mended += before - std::min(before, found_.faults.size());
  return {};
}

// The entries first: what a message that comes meanwhile has is not known here, so only those before count.
Status IndexCheckup::look_at(Scope& scope) {
  WEFT_TRY(const StoreCounts before, core_.store->counts());
  std::unordered_map<std::int64_t, ItemKind> kinds;
  std::unordered_map<std::string, ItemId> indexed;
  std::vector<std::int64_t> rows;
  WEFT_CHECK(core_.store->items().scan_sources(scope.key, [&](ItemRow&& row) {
    rows.push_back(row.row);
    kinds.emplace(row.row, row.item.kind);
    if (row.item.kind == ItemKind::kMessage && !row.item.sources.empty())
      indexed.emplace(key_of(row.item.session, row.item.sources.front()), row.item.id);
  }));
  for (std::size_t at = 0; at < rows.size(); at += kAtOnce) {
    const auto some = std::span(rows).subspan(at, std::min(kAtOnce, rows.size() - at));
    WEFT_TRY(auto items, core_.store->items().get(scope.key, some));
    for (ItemRow& row : items) look_at_entry(scope, std::move(row));
  }
  WEFT_CHECK(look_at_messages(scope, std::move(indexed), before.last_seq));
  return look_at_memory(scope, kinds, before.last_row);
}

void IndexCheckup::look_at_entry(Scope& scope, ItemRow&& row) {
  ShelfCheck& shelf = scope.of(row.item.kind);
  ++shelf.rows;
  if (row.terms != indexed_terms(row.item.kind, row.item.text)) {
    ++shelf.wrong_words;
    scope.words.emplace_back(row.item.session, row.row);
  }
  look_at_vector(scope, std::move(row));
}

void IndexCheckup::look_at_vector(Scope& scope, ItemRow&& row) {
  ShelfCheck& shelf = scope.of(row.item.kind);
  if (row.model == kWordsOnly) {
    ++shelf.words_only;
    return;
  }
  if (row.model.empty()) {
    ++shelf.waiting;
    return;
  }
  ++shelf.vectors;
  // Without a model nothing is searched by vectors, and those of the last one wait for it.
  if (serving_->embedder() == nullptr) return;
  if (dimensions_ == 0) dimensions_ = row.vector.size();
  if (row.model == serving_->model.name && row.vector.size() == dimensions_ && is_unit(row.vector)) {
    draw(std::move(row));
    return;
  }
  ++shelf.wrong_vectors;
  scope.vectors.push_back({row.row, {}, {}});
}

Status IndexCheckup::look_at_messages(Scope& scope, std::unordered_map<std::string, ItemId> indexed,
                                      std::int64_t last_seq) {
  std::vector<MessageRow> without;
  WEFT_CHECK(core_.store->messages().scan(scope.key, false, [&](MessageRow&& message) {
    if (indexed.erase(key_of(message.session, message.message.id)) > 0 || message.seq > last_seq) return;
    if (has_items(core_.config.limits, message)) without.push_back(std::move(message));
  }));
  ShelfCheck& shelf = scope.of(ItemKind::kMessage);
  for (MessageRow& message : without) {
    WEFT_TRY(const auto still, core_.store->messages().get(scope.key, message.session, message.message.id));
    if (!still) continue;
    ++shelf.missing;
    scope.missing.push_back(std::move(message));
  }
  for (const auto& [key, id] : indexed) {
    WEFT_TRY(const auto rows, core_.store->items().rows_of(scope.key, std::span(&id, 1)));
    if (rows.front() != 0) ++shelf.loose;
  }
  return {};
}

Result<bool> IndexCheckup::is_there(const ScopeKey& scope, std::int64_t row) {
  WEFT_TRY(const auto rows, core_.store->items().get(scope, std::span(&row, 1)));
  return !rows.empty();
}

Status IndexCheckup::look_at_memory(Scope& scope, const std::unordered_map<std::int64_t, ItemKind>& kinds,
                                    std::int64_t last_row) {
  const auto made = serving_->memory.index_of(scope.key);
  if (!made.ok()) {
    // One vector of another length keeps the whole from being read: that it is there was seen already.
    const bool known = std::any_of(scope.shelves.begin(), scope.shelves.end(),
                                   [](const ShelfCheck& shelf) { return shelf.wrong_vectors > 0; });
    return known ? Status() : Status(made.error());
  }
  const auto& index = *made;
  std::vector<std::pair<ItemKind, std::int64_t>> differ;
  {
    const auto reading = index->read();
    std::unordered_map<std::int64_t, ItemKind> lacking = kinds;
    for (const ItemKind kind : kItemKinds)
      for (const std::int64_t row : reading.shelf(kind).rows())
        if (row != 0 && row <= last_row && lacking.erase(row) == 0) differ.emplace_back(kind, row);
    // What was written after the look at the store is no difference; what was erased since is in neither.
    for (const auto& [row, kind] : lacking)
      if (row <= last_row) differ.emplace_back(kind, row);
  }
  for (const auto& [kind, row] : differ) {
    WEFT_TRY(const bool kept, is_there(scope.key, row));
    const bool was_kept = kinds.contains(row);
    if (kept == was_kept) ++scope.of(kind).unlike_memory;
  }
  return {};
}

// Each of all vectors has the same chance to be in the sample.
void IndexCheckup::draw(ItemRow&& row) {
  ++candidates_;
  if (drawn_.size() < kSample) {
    drawn_.push_back({std::move(row.item.text), std::move(row.vector)});
    return;
  }
  const std::size_t place = std::uniform_int_distribution<std::size_t>(0, candidates_ - 1)(random_);
  if (place < kSample) drawn_[place] = {std::move(row.item.text), std::move(row.vector)};
}

Status IndexCheckup::compare_drawn() {
  Embedder* const embedder = serving_->embedder();
  if (embedder == nullptr || !serving_->model.ready()) return {};
  embedder->clear_cache();  // which would only say what it said before
  for (const Drawn& one : drawn_) {
    const auto again = embedder->embed(one.text, EmbedUse::kPassage, Deadline::after(kOneVector));
    if (!again.ok()) return {};  // an endpoint that does not answer is told elsewhere
    ++found_.sampled;
    if (again->size() != one.vector.size() || cosine(*again, one.vector) < kSameVector) ++found_.strange;
  }
  return {};
}

// What of the index is not as it should be, made anew from what it was made from.

Status IndexCheckup::mend(Scope& scope) {
  std::size_t outside = 0;  // entries whose index in memory is not that of the store
  for (const ShelfCheck& shelf : scope.shelves) outside += shelf.unlike_memory;
  WEFT_CHECK(mend_words(scope));
  WEFT_CHECK(mend_missing(scope));
  if (!scope.vectors.empty()) {
    WriteBatch batch;
    batch.vectors = scope.vectors;
    WEFT_CHECK(core_.store->write(batch));
    found_.mended += scope.vectors.size();
  }
  found_.mended += outside;
  // It is read from the store when it is next asked for.
  if (outside + scope.words.size() + scope.missing.size() + scope.vectors.size() > 0)
    serving_->memory.forget(scope.key);
  if (!scope.vectors.empty() || !scope.missing.empty()) core_.indexer.wake();
  return {};
}

// A session is held while its entries are read and written, so that nothing is erased in between.
Status IndexCheckup::mend_words(Scope& scope) {
  std::stable_sort(scope.words.begin(), scope.words.end(),
                   [](const auto& a, const auto& b) { return a.first.str() < b.first.str(); });
  for (std::size_t first = 0; first < scope.words.size();) {
    const SessionId session = scope.words[first].first;
    const auto pass = core_.erasure_gate.work(scope.key);
    WEFT_TRY(const auto held, core_.sessions->hold(scope.key, session));
    WriteBatch batch;
    for (std::size_t taken = 0;
         first < scope.words.size() && taken < kWrittenAtOnce && scope.words[first].first == session;
         ++first, ++taken) {
      WEFT_TRY(auto rows, core_.store->items().get(scope.key, std::span(&scope.words[first].second, 1)));
      if (rows.empty()) continue;
      rows.front().terms = indexed_terms(rows.front().item.kind, rows.front().item.text);
      batch.items.push_back(std::move(rows.front()));
    }
    const std::size_t written = batch.items.size();
    if (written > 0) WEFT_CHECK(core_.keep_written(batch));
    found_.mended += written;
  }
  return {};
}

Status IndexCheckup::mend_missing(Scope& scope) {
  for (const MessageRow& message : scope.missing) {
    const auto pass = core_.erasure_gate.work(scope.key);
    WEFT_TRY(const auto held, core_.sessions->hold(scope.key, message.session));
    WEFT_TRY(const auto now, core_.store->messages().get(scope.key, message.session, message.message.id));
    if (!now) continue;
    WriteBatch batch;
    add_message_items(core_.config.limits, *now, batch.items);
    for (ItemRow& item : batch.items) item.active = now->active;
    WEFT_CHECK(core_.keep_written(batch));
    ++found_.mended;
  }
  return {};
}

// The vectors are of one model, the name is another's: all are made again.
Status IndexCheckup::forget_all_vectors() {
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& key : scopes) {
    WriteBatch batch;
    WEFT_CHECK(core_.store->items().scan_sources(key, [&](ItemRow&& row) {
      if (row.model == serving_->model.name) batch.vectors.push_back({row.row, {}, {}});
    }));
    if (batch.vectors.empty()) continue;
    WEFT_CHECK(core_.store->write(batch));
    found_.mended += batch.vectors.size();
    serving_->memory.forget(key);
  }
  core_.indexer.wake();
  return {};
}

namespace {

Error no_failed(const JobId& job) {
  return not_found("no failed job " + job.str(), "`weft queue list` lists the jobs");
}

double number(std::uint64_t count) { return static_cast<double>(count); }

constexpr std::size_t kAllEvents = 100'000'000;
constexpr std::size_t kExamples = 10;
// Whether the event says something else now.
bool note(RepairReport& report, const ItemRow& before, const std::optional<ItemRow>& after) {
  ++report.events;
  if (!after) {
    ++report.kept;
    return false;
  }
  if (after->item.text == before.item.text && after->item.writing == before.item.writing) {
    ++report.same;
    return false;
  }
  ++report.changed;
  if (report.examples.size() < kExamples)
    report.examples.push_back({before.scope, before.item.id, before.item.text, after->item.text});
  return true;
}

}  // namespace

Result<std::vector<JobInfo>> Operations::jobs() {
  WEFT_TRY(const auto rows, core_.store->jobs().list());
  std::vector<JobInfo> jobs;
  for (const Job& job : rows) {
    jobs.push_back({job.id, job.kind, std::string(to_string(job.state)), job.attempts, job.reason,
                    format_time({job.created_ms, 0}), job.payload});
  }
  return jobs;
}

EngineStatus Operations::status() {
  EngineStatus status;
  const auto serving = core_.change->serving();
  status.embedder = serving->embedder() != nullptr ? serving->model.name : "none";
  status.embedder_state = serving->model.state();
  if (auto next = core_.change->progress(); !next.model.empty()) {
    status.next_embedder = std::move(next.model);
    status.next_embedder_state = std::move(next.state);
    status.next_done = next.items.done;
    status.next_all = next.items.all;
  }
  status.chat = core_.models->chat_name();
  status.token_mode = to_string(core_.models->tokens().mode());
  // In the order in which one follows from the other, so that what has just moved on is not missed: turns, jobs, items.
  status.waiting_blocks = core_.store->counts().value_or({}).waiting_blocks;
  const JobCounts jobs = core_.store->jobs().counts(core_.clock->now().ms).value_or({});
  const std::size_t in_work = core_.metrics.jobs_in_work;
  status.queue = {jobs.pending, std::max(jobs.processing, in_work), jobs.failed, core_.metrics.jobs_done};
  if (const auto counts = core_.store->counts(); counts.ok()) {
    status.messages = counts->messages;
    status.items = counts->items;
    // Without an embedder no item waits for a vector.
    status.unembedded = status.embedder_state == "none" ? 0 : counts->unembedded;
  }
  status.readers = core_.log_readers->status(core_.clock->now().ms);
  status.problems = problems(status);
  return status;
}

Result<std::size_t> Operations::purge_failed(const JobId& job) {
  WEFT_TRY(const std::size_t gone, ends_.erase_jobs([&](const Job& one) {
    return one.state == JobState::kFailed && (job.empty() || one.id == job);
  }));
  if (gone == 0 && !job.empty()) return no_failed(job);
  return gone;
}

Result<std::size_t> Operations::retry_failed() {
  WEFT_TRY(const std::size_t count, core_.store->jobs().retry({}));
  core_.jobs_came();
  return count;
}

Status Operations::retry(const JobId& job) {
  if (job.empty()) return no_failed(job);
  WEFT_TRY(const std::size_t count, core_.store->jobs().retry(job));
  if (count == 0) return no_failed(job);
  core_.jobs_came();
  return {};
}

Status Operations::drain(std::chrono::milliseconds limit) {
  const Deadline deadline = Deadline::after(limit);
  for (;;) {
    // In the order in which one follows from the other: blocks, jobs, items.
    WEFT_TRY(const StoreCounts before, core_.store->counts());
    WEFT_TRY(const JobCounts jobs, core_.store->jobs().counts(core_.clock->now().ms));
    WEFT_TRY(const StoreCounts counts, core_.store->counts());
    const bool embedding = core_.change->serving()->embedder() != nullptr && counts.unembedded > 0;
    if (before.waiting_blocks == 0 && jobs.pending == 0 && jobs.processing == 0 && core_.metrics.jobs_in_work == 0 &&
        !embedding) {
      // Whose rows are counted already puts them into the index next.
      core_.change->gate().wait_for_those_inside();
      return {};
    }
    if (deadline.passed()) {
      return timed_out("still working: " + std::to_string(before.waiting_blocks) + " turns without a topic, " +
                       std::to_string(jobs.pending + jobs.processing) + " jobs, " + std::to_string(counts.unembedded) +
                       " items without a vector");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Status Operations::wait_ready(std::chrono::milliseconds limit) {
  return core_.change->serving()->model.wait_ready(Deadline::after(limit));
}

// The counters as text that Prometheus reads (text format 0.0.4).

std::string Operations::metrics_text(bool names) {
  MetricsText text;
  const JobCounts jobs = core_.store->jobs().counts(core_.clock->now().ms).value_or({});
  for (const auto& [label, count] :
       {std::pair{"pending", jobs.pending}, {"processing", jobs.processing}, {"failed", jobs.failed}})
    text.labelled("queue_jobs", "Jobs in the queue by state.", "gauge", fmt::format("state=\"{}\"", label),
                  number(count));
  text.counter("jobs_done_total", "Jobs worked off.", number(core_.metrics.jobs_done));
  text.counter("jobs_retried_total", "Attempts that failed and are tried again.", number(core_.metrics.jobs_retried));
  text.counter("jobs_failed_total", "Jobs given up.", number(core_.metrics.jobs_failed));
  text.histogram("job_seconds", "Time spent on jobs that were done.", "", core_.metrics.job_time);
  for (const auto& [operation, time] : {std::pair{"observe", &core_.metrics.observe_time},
                                        {"sync", &core_.metrics.sync_time},
                                        {"context", &core_.metrics.context_time},
                                        {"search", &core_.metrics.search_time},
                                        {"end", &core_.metrics.end_time}})
    text.histogram("call_seconds", "Time callers waited, by operation.", fmt::format("operation=\"{}\"", operation),
                   *time);
  text.counter("ends_total", "Turns ended with something to keep.", number(core_.metrics.ends));
  text.counter("historian_model_calls_total", "Rewrites asked of the model.", number(core_.metrics.model_calls));
  text.counter("compactions_total", "Sessions whose older turns were put in short.", number(core_.metrics.compactions));
  text.counter("compactions_prepared_total", "Summaries made in the background before they were needed.",
               number(core_.metrics.compactions_prepared));
  text.counter("compactions_failed_total", "Compactions that failed; the prompt was trimmed instead.",
               number(core_.metrics.compactions_failed));
  text.counter("historian_rewrites_total", "Answers of the model that were not taken.", number(core_.metrics.rewrites));
  for (const auto& [label, count] :
       {std::pair{"passed", core_.metrics.gate_passed.load()}, {"degraded", core_.metrics.gate_degraded.load()}})
    text.labelled("gate_events_total", "Events by what the gate found.", "counter", fmt::format("result=\"{}\"", label),
                  number(count));
  for (const auto& [label, count] : {std::pair{"empty_talk", core_.metrics.refused_empty_talk.load()},
                                     {"duplicate", core_.metrics.refused_duplicate.load()},
                                     {"echo", core_.metrics.refused_echo.load()},
                                     {"loop", core_.metrics.refused_loop.load()}})
    text.labelled("write_gate_refused_total", "What did not become a memory, by reason.", "counter",
                  fmt::format("reason=\"{}\"", label), number(count));
  text.counter("suspect_memories_total", "Memories of tools told with a mark, since they read like instructions.",
               number(core_.metrics.suspect_memories));
  text.counter("profiles_written_total", "Profiles changed.", number(core_.metrics.profiles_written));
  core_.usage->write(text, names);
  const EngineStatus now = status();
  text.gauge("healthy", "0: what is asked for cannot be kept; 1: it goes on with less; 2: all is well.",
             now.health() == "ok"         ? 2
             : now.health() == "degraded" ? 1
                                          : 0);
  constexpr std::string_view kAlarm = "What is wrong, by its code; none: all is well. Labels: code.";
  text.declare("alarm", kAlarm, "gauge");
  for (const Problem& problem : now.problems)
    text.labelled("alarm", kAlarm, "gauge", fmt::format("code=\"{}\"", problem.code), 1);
  constexpr std::string_view kBehind = "Log entries that a reader has not read yet.";
  constexpr std::string_view kAge = "Age of the oldest log entry that a reader has not read yet.";
  for (const ReaderStatus& reader : now.readers)
    text.labelled("reader_entries", kBehind, "gauge", fmt::format("reader=\"{}\"", reader.name),
                  number(reader.entries));
  for (const ReaderStatus& reader : now.readers)
    text.labelled("reader_seconds", kAge, "gauge", fmt::format("reader=\"{}\"", reader.name), number(reader.seconds));
  const auto since = jobs.waiting_since;
  text.gauge("queue_oldest_seconds", "How long the job that waits longest could have run.",
             since ? static_cast<double>(core_.clock->now().ms - *since) / 1000 : 0);
  if (const auto counts = core_.store->counts(); counts.ok()) {
    text.gauge("messages", "Messages kept.", number(counts->messages));
    text.gauge("items", "Items kept.", number(counts->items));
    text.gauge("blocks_without_topic", "Turns that wait for their topic.", number(counts->waiting_blocks));
    const bool none = core_.change->serving()->model.state() == "none";
    text.gauge("items_without_vector", "Items that wait for their vector.", number(none ? 0 : counts->unembedded));
  }
  text.labelled("build_info", "Always 1; the version is in its label.", "gauge", label_text({{"version", kVersion}}),
                1);
  MetricsText process("");
  write_process(process);
  text.append(process.take());
  auto sources = sources_.lock();
  for (const auto& [source, told] : *sources) text.append(told());
  return text.take();
}

std::uint64_t Operations::add_metrics(std::function<std::string()> text) {
  auto sources = sources_.lock();
  const std::uint64_t number = sources->empty() ? 1 : sources->rbegin()->first + 1;
  sources->emplace(number, std::move(text));
  return number;
}

void Operations::remove_metrics(std::uint64_t number) { sources_.lock()->erase(number); }

// Events made anew from their sources, while calls go on.

// A session is held while its event is read and written, so that no branch is left and nothing is erased in between.
Result<RepairReport> Operations::repair_events(bool dry_run) {
  RepairReport report;
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& scope : scopes) {
    WEFT_TRY(const auto events, core_.store->items().of_kind(scope, ItemKind::kEvent, kAllEvents));
    for (std::size_t first = 0; first < events.size();) {
      const SessionId& session = events[first].item.session;
      const auto pass = core_.erasure_gate.work(scope);
      WEFT_TRY(const auto held, core_.sessions->hold(scope, session));
      WriteBatch batch;
      for (std::size_t taken = 0;
           first < events.size() && taken < kWrittenAtOnce && events[first].item.session == session; ++first, ++taken) {
        // What has been erased or replaced since it was listed is read again.
        WEFT_TRY(const auto rows, core_.store->items().get(scope, std::span(&events[first].row, 1)));
        if (rows.empty()) continue;
        WEFT_TRY(auto again, event_again(core_.historian_ports(), rows.front()));
        if (!note(report, rows.front(), again) || dry_run) continue;
        again->vector.clear();
        again->model.clear();
        batch.items.push_back(std::move(*again));
      }
      if (!batch.items.empty()) WEFT_CHECK(core_.keep_written(batch));
    }
  }
  return report;
}

// What is wrong, in words, and what to do about it: for /healthz, `weft doctor`, the metrics and the log.

namespace {

constexpr std::chrono::seconds kProbeAge{5};  // a trial write is not repeated before
constexpr std::chrono::seconds kWatch{30};  // between two looks of the engine's own
constexpr std::uint64_t kEnoughJobs = 20, kEnoughEvents = 100;  // before a share says anything
constexpr std::int64_t kDay = 86'400'000;

double share(std::uint64_t good, std::uint64_t bad) {
  return static_cast<double>(good) / static_cast<double>(std::max<std::uint64_t>(1, good + bad));
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

void look_at_disk(const Config& config, std::vector<Problem>& problems) {
  std::error_code failed;
  const auto space = std::filesystem::space(config.workspace, failed);
  if (failed || space.available >= static_cast<std::uintmax_t>(config.health.min_free_bytes)) return;
  problems.push_back({"disk", false,
                      fmt::format("the disk of {} has {} MB left", config.workspace, space.available >> 20),
                      "free some space; nothing that was acknowledged is lost, but soon nothing more can be kept"});
}

void look_at_embedder(const EngineStatus& status, std::vector<Problem>& problems) {
  if (status.embedder_state.starts_with("failed"))
    problems.push_back({"embedder", false, "the embedder " + status.embedder_state,
                        embedder_advice() + "; until then words alone are searched"});
  if (status.next_embedder_state.starts_with("failed"))
    problems.push_back({"next_embedder", false,
                        "the embedder " + status.next_embedder + " " + status.next_embedder_state,
                        "mend the new model, or go back to embedding.model = \"" + status.embedder + "\""});
}

void look_at_shares(const Config& config, const Metrics& metrics, std::vector<Problem>& problems) {
  const std::uint64_t done = metrics.jobs_done, failed = metrics.jobs_failed;
  if (done + failed >= kEnoughJobs && share(done, failed) < config.health.min_job_success)
    problems.push_back({"job_success", false, "only " + percent(share(done, failed)) + " of the jobs succeeded",
                        "`weft queue list` shows why the others did not"});
  const std::uint64_t passed = metrics.gate_passed, degraded = metrics.gate_degraded;
  if (passed + degraded >= kEnoughEvents && share(passed, degraded) < config.health.min_gate_pass)
    problems.push_back({"gate_pass", false,
                        "only " + percent(share(passed, degraded)) + " of the events passed the gate",
                        "a model of the role \"historian\" words them better; see docs/presets.md"});
}

void look_at_queue(const Config& config, const JobCounts& counts, std::int64_t now_ms, std::vector<Problem>& problems) {
  if (counts.failed > 0)
    problems.push_back({"queue_failed", false, std::to_string(counts.failed) + " jobs have failed for good",
                        "`weft queue list` shows why; `weft queue retry --all` tries them again"});
  const auto waiting = static_cast<std::int64_t>(counts.pending);
  if (waiting > config.health.queue_depth)
    problems.push_back({"queue_depth", false, std::to_string(waiting) + " jobs wait in the queue",
                        "raise historian.workers, or give the historian a faster model"});
  const auto since = counts.waiting_since;
  if (since && now_ms - *since > config.health.queue_seconds * 1000)
    problems.push_back({"queue_stuck", false,
                        "a job that could run has waited for " + std::to_string((now_ms - *since) / 1000) + " seconds",
                        "see the log for what the workers are at, raise historian.workers, or restart"});
}

// `open`: how long the engine has been; what was kept before it was opened has waited no longer for it.
void look_at_readers(const Config& config, const EngineStatus& status, std::chrono::seconds open,
                     std::vector<Problem>& problems) {
  std::string failing, behind;
  for (const ReaderStatus& reader : status.readers) {
    if (!reader.failure.empty()) failing += (failing.empty() ? "" : "; ") + reader.name + ": " + reader.failure;
    if (std::min<std::int64_t>(static_cast<std::int64_t>(reader.seconds), open.count()) > config.health.queue_seconds)
      behind += fmt::format("{}{} by {} entries, {} seconds", behind.empty() ? "" : "; ", reader.name, reader.entries,
                            reader.seconds);
  }
  if (!failing.empty())
    problems.push_back({"reader_failed", false, "background work on what was kept fails: " + failing,
                        "remove the cause; it is tried again within a minute, and goes on where it stopped"});
  if (!behind.empty())
    problems.push_back({"reader_behind", false, "background work on what was kept is behind: " + behind,
                        "see the log; nothing is lost, days and preferences follow later"});
}

}  // namespace

// Whether rows can be written, tried now and then: a disk may be read and take nothing any more.
Status Operations::probe_store() {
  auto watch = watch_.lock();
  const auto now = std::chrono::steady_clock::now();
  if (watch->probed && now - *watch->probed < kProbeAge) return watch->written;
  watch->written = core_.store->set_note("probe", format_time(core_.clock->now()));
  watch->probed = now;
  return watch->written;
}

std::vector<Problem> Operations::problems(const EngineStatus& status) {
  std::vector<Problem> problems;
  if (const Status written = probe_store(); !written.ok())
    problems.push_back({"store", true, "nothing can be kept: " + written.error().message,
                        written.error().hint.empty() ? "see the log" : written.error().hint});
  look_at_disk(core_.config, problems);
  const std::int64_t now_ms = core_.clock->now().ms;
  if (const auto counts = core_.store->jobs().counts(now_ms); counts.ok())
    look_at_queue(core_.config, *counts, now_ms, problems);
  const auto open = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - opened_);
  look_at_readers(core_.config, status, open, problems);
  look_at_embedder(status, problems);
  if (core_.topics_by_words)
    problems.push_back({"topics_by_words", false,
                        "the embedding model does not answer in time; topics are decided by words",
                        "look at the model or its endpoint; it is asked again within a minute"});
  look_at_shares(core_.config, core_.metrics, problems);
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.failing && !b.failing; });
  return problems;
}

// Tells the log of what has become wrong, and of what is well again.
std::optional<std::chrono::milliseconds> Operations::watch_health(std::stop_token) {
  purge_old_failures();
  trim_log();
  // Nobody asked: an idle engine writes nothing, not even for a trial.
  watch_.lock()->probed = std::chrono::steady_clock::now();
  const EngineStatus now = status();
  std::set<std::string> codes;
  for (const Problem& problem : now.problems) codes.insert(problem.code);
  auto watch = watch_.lock();
  for (const Problem& problem : now.problems)
    if (!watch->known.contains(problem.code))
      log_warning("alarm." + problem.code, problem.what + " (" + problem.advice + ")");
  for (const std::string& code : watch->known)
    if (!codes.contains(code)) log_warning("alarm." + code, "is over");
  watch->known = std::move(codes);
  return kWatch;
}

void Operations::trim_log() {
  const Status trimmed = core_.log_readers->trim(core_.config.retention.log_entries);
  if (!trimmed.ok()) log_error("log.retention", trimmed.error().message);
}

void Operations::purge_old_failures() {
  if (core_.config.retention.failed_job_days <= 0) return;
  const std::int64_t oldest = core_.clock->now().ms - core_.config.retention.failed_job_days * kDay;
  const auto gone =
      ends_.erase_jobs([&](const Job& job) { return job.state == JobState::kFailed && job.created_ms < oldest; });
  if (!gone.ok())
    log_error("queue.retention", gone.error().message);
  else if (*gone > 0)
    log_info("queue.retention", std::to_string(*gone) + " old failed jobs were removed");
}

}  // namespace weft
