#include <filesystem>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "flow/stream/session_state.h"

namespace weft {
namespace {

constexpr std::size_t kSessionsInMemory = 256;

std::string store_url(const Config& config) {
  return config.store.empty() ? "sqlite:" + config.workspace + "/weft.db" : config.store;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(const Config& config) {
  WEFT_TRY(auto engine, EngineImpl::open(config));
  return std::unique_ptr<Engine>(std::move(engine));
}

Result<std::unique_ptr<EngineImpl>> EngineImpl::open(const Config& config, EngineParts parts) {
  std::unique_ptr<EngineImpl> engine(new EngineImpl(config));
  WEFT_CHECK(engine->open_parts(std::move(parts)));
  WEFT_CHECK(engine->recover_topics());
  engine->start_threads();
  return engine;
}

Status EngineImpl::open_parts(EngineParts parts) {
  WEFT_CHECK(make_folder(config_.workspace));
  WEFT_TRY(lock_, WorkspaceLock::take(config_.workspace));
  WEFT_TRY(store_, open_store(store_url(config_)));
  WEFT_TRY(queue_, FileQueue::open(std::filesystem::path(config_.workspace) / "queues"));
  const std::filesystem::path workspace(config_.workspace);
  WEFT_TRY(profiles_, ProfileFiles::open(workspace / "profiles",
                                         static_cast<std::size_t>(config_.cognitive_historian.profile_revision_keep)));
  end_summaries_ = std::make_unique<EndSummaries>(workspace / "end_summaries.json");
  clock_ = parts.clock ? std::move(parts.clock) : std::make_unique<SystemClock>();
  given_embedder_ = std::move(parts.embedder);
  Config models = config_;
  if (given_embedder_) models.embedding.provider = "none";
  WEFT_TRY(models_, ModelSet::open(models));
  adsorber_ = std::make_unique<Adsorber>(config_.stream, parts.similarity ? parts.similarity : models_->similarity());
  const std::string embedder_name = embedder() != nullptr ? embedder()->name() : std::string();
  if (!embedder_name.empty()) WEFT_CHECK(store_->forget_other_vectors(embedder_name));
  memory_ =
      std::make_unique<ScopeMemory>(*store_, static_cast<std::size_t>(config_.limits.scopes_in_memory), embedder_name);
  facts_ = std::make_unique<KnownFacts>(*store_);
  sessions_ = std::make_unique<SessionTable>(*store_, kSessionsInMemory);
  WEFT_TRY(const StoreCounts counts, store_->counts());
  seqs_.restart_after(counts.last_seq);
  rows_.restart_after(counts.last_row);
  return {};
}

// A topic is closed in the store before its job is queued: what a crash left between the two is queued now.
Status EngineImpl::recover_topics() {
  WEFT_TRY(const auto topics, store_->topics(TopicStatus::kFlushed, false));
  queue_topics(topics);
  recover_open_infos();
  return {};
}

void EngineImpl::start_threads() {
  const auto start = [this](Background::Work work) {
    threads_.push_back(std::make_unique<Background>(std::move(work)));
    return threads_.back().get();
  };
  indexer_ = start([this](std::stop_token stop) { return embed_items(stop); });
  for (std::int64_t i = 0; i < std::max<std::int64_t>(1, config_.historian.workers); ++i) {
    historians_.push_back(start([this](std::stop_token stop) { return work_off_queue(stop); }));
  }
  idle_ = start([this](std::stop_token stop) { return close_idle(stop); });
}

EngineImpl::~EngineImpl() {
  for (auto& thread : threads_) thread->stop();
}

StreamPorts EngineImpl::stream_ports() {
  return {config_, *store_, embedder(), *adsorber_, models_->tokens(), *clock_, seqs_};
}

HistorianPorts EngineImpl::historian_ports() {
  return {config_, *store_, rows_, [this](const TopicRow& topic) { return load_topic_blocks(*store_, topic); },
          metrics_};
}

}  // namespace weft
