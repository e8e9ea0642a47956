#include "engine/workers.h"

#include <algorithm>

#include "base/call_context.h"
#include "base/fault_point.h"
#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/memory_files.h"
#include "engine/planned_prompts.h"
#include "engine/session_history.h"
#include "engine/states.h"
#include "flow/recall/item_words.h"
#include "ports/embedding/embedder.h"
#include "text/json.h"

namespace weft {

Status ScopeFollower::follow(const ScopeKey& scope) {
  if (!core_.store->is_shared()) return {};
  WEFT_TRY(ScopeNews news, core_.store->news(scope));
  if (!news.any()) return {};
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(news, core_.store->news(scope));
  if (!news.any()) return {};
  core_.sessions->forget(scope);
  core_.facts->forget(scope);
  core_.tasks->forget();
  core_.story.forget(scope);
  core_.prompts.forget_memories(prompt_key(scope, {}));
  states_.forget(scope);
  compactions_.forget(scope);
  planner_.forget();
  if (news.has_removed) diaries_.forget_prompts(scope);
  // What a call of this program has written is older than the news, and would undo them if it came into the index
  // later.
  core_.change->gate().wait_for_those_inside();
  WEFT_CHECK(core_.change->serving()->memory.take_news(scope, news));
  core_.store->caught_up(scope, news);
  return {};
}

Status ScopeFollower::follow(const RequestContext& request) {
  if (!core_.store->is_shared()) return {};
  WEFT_CHECK(follow(request.scope.key()));
  WEFT_TRY(const StoryScope story, story_scope(core_.config, request));
  if (story.own != request.scope.key()) WEFT_CHECK(follow(story.own));
  return story.world.empty() ? Status() : follow(story.world);
}

namespace {

constexpr std::size_t kEmbedBatch = 16;                       // items embedded between two writes
constexpr std::chrono::milliseconds kModelRetry{500};         // while the model is loading
constexpr std::chrono::seconds kEmbedTimeout{30};

// The event goes to everybody, so it does not say whose job it was.
void send_event(Feed& feed, Time now, const Job& job, const Status& done) {
  feed.send({}, now, HappeningKind::kJob, {}, [&] {
    JsonWriter out;
    out.begin('{');
    out.name("kind");
    out.text(job.kind);
    out.name("done");
    out.flag(done.ok());
    out.name("attempts");
    out.whole(job.attempts);
    out.end('}');
    return out.take();
  });
}

// A job as a trace of its own, linked to the request that led to it.
template <class Work>
Status told(const Job& job, const Work& work) {
  const TraceParent cause = cause_of(job.payload);
  TraceSpan span(SpanRelay::of_background().sink(), "weft.job " + job.kind, std::span(&cause, 1));
  span.set("weft.job.attempt", std::int64_t{job.attempts});
  Status done = work();
  if (!done.ok()) span.fail(to_string(done.error().code));
  return done;
}

}  // namespace

Workers::Workers(EngineCore& core, ScopeFollower& follower, Ends& ends, SaidMemory& said, States& states,
                 Knowledge& knowledge)
    : core_(core),
      follower_(follower),
      ends_(ends),
      said_(said),
      states_(states),
      append_(core, knowledge),
      mirror_(std::filesystem::path(core.config.workspace) / "queues") {}

// Gives vectors to items that have none yet, oldest first, a few at a time. An item that the model cannot take is left
// to its words.
std::optional<std::chrono::milliseconds> Workers::embed_items(std::stop_token stop) {
  while (!stop.stop_requested()) {
    const auto serving = core_.change->serving();
    Embedder* const embedder = serving->embedder();
    if (embedder == nullptr) return std::nullopt;
    auto items = core_.store->items().unembedded(kEmbedBatch);
    if (!items.ok()) {
      log_error("embed.read", items.error().message);
      return kModelRetry;
    }
    if (items->empty()) return std::nullopt;
    // Whose rows were just read puts them into the index next, without their vectors.
    core_.change->gate().wait_for_those_inside();
    WriteBatch batch;
    batch.repeatable = true;
    std::unordered_map<ScopeKey, std::vector<VectorUpdate>> by_scope;
    bool model_away = false;
    auto step = std::make_optional<EmbedSpan>(*embedder, items->size());
    for (const ItemRow& item : *items) {
      if (stop.stop_requested() || model_away) break;
      auto vector = embedder->embed(item.item.text, EmbedUse::kPassage, Deadline({}, stop).within(kEmbedTimeout));
      model_away = !vector.ok() && vector.error().code != ErrorCode::kInvalidArgument;
      if (model_away) step->fail(to_string(vector.error().code));
      if (model_away) break;
      VectorUpdate update{item.row, vector.ok() ? std::move(vector).value() : Vector(),
                          vector.ok() ? embedder->name() : kWordsOnly};
      if (!update.vector.empty()) by_scope[item.scope].push_back(update);
      batch.vectors.push_back(std::move(update));
    }
    step.reset();
    const auto pass = core_.change->gate().enter();
    if (!core_.change->is_serving(*serving)) continue;
    if (auto written = core_.store->write(batch); !written.ok()) {
      log_error("embed.write", written.error().message);
      return kModelRetry;
    }
    kill_point(FaultPoint::kVectorsKept);
    for (const auto& [scope, updates] : by_scope) serving->memory.embedded(scope, updates);
    if (model_away) return kModelRetry;
  }
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> Workers::change_model(std::stop_token stop) {
  const auto rest = core_.change->work(stop);
  // What was written in the last moment waits for a vector of the model that serves now.
  if (!core_.change->under_way()) core_.indexer.wake();
  return rest;
}

std::optional<std::chrono::milliseconds> Workers::work_off_queue(std::stop_token stop) {
  JobRows& jobs = core_.store->jobs();
  while (!stop.stop_requested()) {
    auto job = jobs.take(core_.clock->now().ms, core_.config.historian.lease_seconds * 1000);
    if (!job.ok()) {
      log_error("queue.take", job.error().message);
      return std::chrono::milliseconds(core_.config.historian.backoff_ms);
    }
    if (!job->has_value()) break;
    // A job leaves the store before its rows are in the index and it is counted: until then it is in work.
    ++core_.metrics.jobs_in_work;
    const AtEnd over([&] { --core_.metrics.jobs_in_work; });
    const Job& work = **job;
    const JobHold hold{work.id, work.attempts};
    core_.job_mirror.wake();
    const Stopwatch clock;
    const Status done = told(work, [&] { return guarded("the job", [&] { return work_off(work, stop); }); });
    kill_point(FaultPoint::kJobDone, work.kind);
    Status moved;
    if (done.ok()) {
      ++core_.metrics.jobs_done;
      core_.metrics.job_time.add(clock.ms() / 1000);
      moved = jobs.finish(hold);
    } else if (stop.stop_requested()) {
      moved = jobs.put_back(hold, done.error().message, core_.clock->now().ms);  // no failure of its own
    } else if (work.attempts >= core_.config.historian.max_attempts || done.error().code == ErrorCode::kCorrupt) {
      ++core_.metrics.jobs_failed;
      log_error("queue.failed", "job " + work.id.str() + " failed for good: " + done.error().message);
      moved = jobs.fail(hold, done.error().message);
    } else {
      const std::int64_t wait = core_.config.historian.backoff_ms << std::min(work.attempts - 1, 16);
      ++core_.metrics.jobs_retried;
      log_warning("queue.retry", "job " + work.id.str() + ": " + done.error().message);
      moved = jobs.put_back(hold, done.error().message, core_.clock->now().ms + wait);
    }
    if (!moved.ok()) log_error("queue.move", moved.error().message);
    core_.job_mirror.wake();
    send_event(*core_.feed, core_.clock->now(), work, done);
  }
  const auto due = jobs.next_due();
  if (!due.ok()) return std::chrono::milliseconds(core_.config.historian.backoff_ms);
  if (!due->has_value()) return std::nullopt;
  return std::chrono::milliseconds(std::max<std::int64_t>(1, **due - core_.clock->now().ms));
}

// A disk that takes no file is only told: the store holds the jobs.
std::optional<std::chrono::milliseconds> Workers::show_jobs() {
  const auto jobs = core_.store->jobs().list();
  const Status shown = jobs.ok() ? mirror_.show(*jobs) : Status(jobs.error());
  if (!shown.ok()) log_warning("queue.mirror", shown.error().message);
  return std::nullopt;
}

Status Workers::work_off(const Job& job, std::stop_token stop) {
  WEFT_CHECK(fault_point(FaultPoint::kJobTaken, job.kind));
  WEFT_CHECK(follower_.follow(job.scope));
  if (job.kind == kSaidKind) return said_.work_off_said(job, stop);
  if (job.kind == kAppendKind) return append_.work_off(job);
  if (job.kind == kStateKind) return states_.work_off_answer(job);
  return job.kind == "end" || job.kind == "flush" ? ends_.work_off_end(job, stop) : work_off_topic(job, stop);
}

// The model words what was said while nobody waits for the session; what has changed by then is worded by the grammar.
Result<Wording> Workers::word_topic(const TopicKey& key, std::stop_token stop) {
  if (core_.historian() == nullptr || !core_.remembers(key.scope)) return Wording();
  std::vector<LogicalBlock> blocks;
  {
    WEFT_TRY(const auto held, core_.sessions->hold(key.scope, key.session));
    WEFT_TRY(blocks, blocks_to_word(core_.historian_ports(), key));
  }
  const auto limit = std::chrono::milliseconds(core_.config.cognitive.model_timeout_ms);
  return reword_blocks(blocks, rewrite_terms(core_.config, core_.historian()), core_.config, core_.metrics,
                       Deadline({}, stop).within(limit));
}

Status Workers::work_off_topic(const Job& job, std::stop_token stop) {
  WEFT_TRY(const TopicKey key, topic_key(job));
  const auto pass = core_.erasure_gate.work(key.scope);
  const CallScope call(Account{key.scope.str(), {}});
  WEFT_TRY(const Wording wording, word_topic(key, stop));
  WEFT_CHECK(said_.learn_from_topic(key, stop));
  // A client that leaves a branch now waits, and what is written here is not of that branch.
  WEFT_TRY(auto held, core_.sessions->hold(key.scope, key.session));
  constexpr int kTries = 5;
  for (int tries = 1;; ++tries) {
    WEFT_CHECK(held.refresh());
    WEFT_TRY(JobResult result, process_job(core_.historian_ports(), key, wording));
    // At another server the session is not held: whoever has changed it there makes this write a conflict.
    if (core_.store->is_shared() && !result.batch.topics.empty()) result.batch.sessions.push_back(held->row);
    result.batch.finished_jobs = {{job.id, job.attempts}};
    result.batch.repeatable = true;
    const Status kept = core_.keep_written(result.batch);
    if (kept.ok() && !result.batch.sessions.empty()) held->row.version = held->row.next_version();
    if (kept.ok() || kept.error().code != ErrorCode::kConflict || tries == kTries) return kept;
    held.forget();
  }
}

}  // namespace weft
