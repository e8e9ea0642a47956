#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "engine/engine_impl.h"
#include "flow/stream/session_state.h"
#include "ports/files/erasure_record.h"

namespace weft {
namespace {

// The ids of a user's own templates; none where there is no such folder.
std::vector<std::string> template_files(const std::filesystem::path& folder) {
  constexpr std::size_t kMost = 200;
  std::vector<std::string> ids;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".jinja" && ids.size() < kMost) ids.push_back(entry.path().stem().string());
  std::sort(ids.begin(), ids.end());
  return ids;
}

constexpr std::size_t kSessionsInMemory = 256;

std::string store_url(const Config& config) {
  return config.store.empty() ? "sqlite:" + config.workspace + "/weft.db" : config.store;
}

EmbedderModel given_model(std::string name, std::unique_ptr<Embedder> embedder,
                          std::shared_ptr<const Similarity> similarity) {
  EmbedderModel model;
  model.name = std::move(name);
  model.embedder = std::move(embedder);
  model.similarity = std::move(similarity);
  if (!model.embedder) model.failure = "there is no model \"" + model.name + "\"";
  return model;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(const Config& config) {
  WEFT_TRY(const Config settled, settle_config(config));
  WEFT_TRY(auto engine, EngineImpl::open(settled));
  return std::unique_ptr<Engine>(std::move(engine));
}

Result<std::unique_ptr<EngineImpl>> EngineImpl::open(const Config& config, EngineParts parts) {
  std::unique_ptr<EngineImpl> engine(new EngineImpl(config));
  WEFT_CHECK(engine->open_parts(std::move(parts)));
  WEFT_CHECK(engine->recover_topics());
  engine->recover_open_blocks();
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
  given_historian_ = std::move(parts.historian);
  Config models = config_;
  if (parts.embedder || parts.embedders) models.embedding.provider = "none";
  WEFT_TRY(models_, ModelSet::open(models));
  facts_ = std::make_unique<KnownFacts>(*store_);
  if (historian() != nullptr) leads_ = std::make_unique<LeadMaker>(config_, historian());
  sessions_ = std::make_unique<SessionTable>(*store_, kSessionsInMemory);
  states_ = std::make_unique<StateShelf>(*store_, config_.state, config_.retention.state_versions);
  compactions_ = std::make_unique<Compactions>(*store_);
  tasks_ = std::make_unique<SessionTasks>(*store_);
  session_log_ = std::make_unique<SessionLog>(workspace);
  WEFT_CHECK(open_embedder(parts));
  skeleton_ = std::make_unique<Skeleton>(
      [workspace](std::string_view id) -> std::optional<std::string> {
        auto source = read_file(workspace / "templates" / (std::string(id) + ".jinja"));
        return source.ok() ? std::optional(std::move(source).value()) : std::nullopt;
      },
      TemplateLimits(), [workspace] { return template_files(workspace / "templates"); });
  curator_ = std::make_unique<Curator>(curate_options(), models_->chat("fast"));
  WEFT_TRY(const StoreCounts counts, store_->counts());
  seqs_.restart_after(counts.last_seq);
  rows_.restart_after(counts.last_row);
  return {};
}

// The configured embedder serves, or the one that the stored vectors came from until those of the new one are complete.
Status EngineImpl::open_embedder(EngineParts& parts) {
  EmbedderModel configured = models_->embedder_model();
  if (parts.similarity) configured.similarity = parts.similarity;
  const auto similarity = configured.similarity;
  if (parts.embedder) {
    const std::string name = parts.embedder->name();
    configured = given_model(name, std::move(parts.embedder), similarity);
  } else if (parts.embedders) {
    const std::string& name = config_.embedding.model;
    configured = given_model(name, parts.embedders(name), similarity);
  }
  const auto former = [&](const std::string& name) {
    if (parts.embedders) return given_model(name, parts.embedders(name), similarity);
    EmbedderModel model = open_former_model(config_, name);
    if (parts.similarity) model.similarity = parts.similarity;
    return model;
  };
  // Sessions in memory hold traces with vectors of the former model.
  WEFT_TRY(change_,
           ModelChange::open(*store_, config_, std::move(configured), former, [this] { sessions_->forget_all(); }));
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
  const auto make = [this](Background::Work work) {
    threads_.push_back(std::make_unique<Background>(std::move(work)));
    return threads_.back().get();
  };
  foresight_ = std::make_unique<QueryForesight>();
  indexer_ = make([this](std::stop_token stop) { return embed_items(stop); });
  if (change_->under_way()) make([this](std::stop_token stop) { return change_model(stop); });
  for (std::int64_t i = 0; i < std::max<std::int64_t>(1, config_.historian.workers); ++i) {
    historians_.push_back(make([this](std::stop_token stop) { return work_off_queue(stop); }));
  }
  if (const auto left = ErasureRecords(config_.workspace).pending(); !left.ok() || !left->empty())
    make([this](std::stop_token stop) { return resume_erasures(stop); });
  make([this](std::stop_token stop) { return watch_health(stop); });
  compactor_ = make([this](std::stop_token stop) { return work_off_compactions(stop); });
  if (leads_) {
    lead_maker_ = make([this](std::stop_token stop) {
      leads_->work(stop);
      return std::optional<std::chrono::milliseconds>();
    });
  }
  idle_ = make([this](std::stop_token stop) { return close_idle(stop); });
  // They wake each other: none begins before all are there.
  for (const auto& thread : threads_) thread->start();
}

EngineImpl::~EngineImpl() {
  curator_ = nullptr;
  for (auto& thread : threads_) thread->stop();
}

StreamPorts EngineImpl::stream_ports(const Serving& serving) {
  return {config_,
          *store_,
          serving.embedder(),
          serving.adsorber,
          models_->tokens(),
          *clock_,
          seqs_,
          [this](const OpenTopic& topic) -> std::optional<std::string> {
            if (!leads_) return std::nullopt;
            return leads_->take(topic.row.id, topic.blocks, config_.historian.summary_tokens);
          }};
}

HistorianPorts EngineImpl::historian_ports() {
  return {config_, *store_, rows_, [this](const TopicRow& topic) { return load_topic_blocks(*store_, topic); },
          metrics_};
}

}  // namespace weft
