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
  WEFT_CHECK(engine->streams_->recover_topics());
  engine->ends_->recover_open_infos();
  engine->streams_->recover_open_blocks();
  engine->start_threads();
  return engine;
}

Status EngineImpl::open_parts(EngineParts parts) {
  WEFT_CHECK(make_folder(core_.config.workspace));
  WEFT_TRY(core_.lock, WorkspaceLock::take(core_.config.workspace));
  WEFT_TRY(core_.store, open_store(store_url(core_.config)));
  WEFT_TRY(core_.queue, FileQueue::open(std::filesystem::path(core_.config.workspace) / "queues"));
  const std::filesystem::path workspace(core_.config.workspace);
  WEFT_TRY(core_.profile_files,
           ProfileFiles::open(workspace / "profiles",
                              static_cast<std::size_t>(core_.config.cognitive_historian.profile_revision_keep)));
  core_.end_summaries = std::make_unique<EndSummaries>(workspace / "end_summaries.json");
  core_.clock = parts.clock ? std::move(parts.clock) : std::make_unique<SystemClock>();
  core_.given_historian = std::move(parts.historian);
  Config models = core_.config;
  if (parts.embedder || parts.embedders) models.embedding.provider = "none";
  WEFT_TRY(core_.models, ModelSet::open(models));
  core_.facts = std::make_unique<KnownFacts>(*core_.store);
  if (core_.historian() != nullptr) leads_ = std::make_unique<LeadMaker>(core_.config, core_.historian());
  core_.sessions = std::make_unique<SessionTable>(*core_.store, kSessionsInMemory);
  profiles_ = std::make_unique<Profiles>(core_);
  searcher_ = std::make_unique<Searcher>(core_);
  tasks_ = std::make_unique<Tasks>(core_);
  ends_ = std::make_unique<Ends>(core_, *profiles_, *tasks_);
  said_ = std::make_unique<SaidMemory>(core_, *profiles_, *ends_);
  operations_ = std::make_unique<Operations>(core_, *ends_);
  workers_ = std::make_unique<Workers>(core_, *ends_, *said_);
  states_ = std::make_unique<States>(core_);
  quests_ = std::make_unique<Quests>(core_);
  lore_ = std::make_unique<LoreBook>(core_);
  core_.forgets = {[this](const std::string& scope) { states_->shelf().forget(scope); },
                   [this](const std::string& scope) { compactions_->forget(scope); },
                   [this](const std::string&) { plans_.lock()->clear(); },
                   [this](const std::string& scope) { curator_->forget(scope); },
                   [this](const std::string&) { prepared_.lock()->clear(); },
                   [this](const std::string&) {
                     if (leads_) leads_->forget();
                   }};
  streams_ = std::make_unique<Streams>(core_, *said_, *states_, leads_.get());
  eraser_ = std::make_unique<Eraser>(core_, *profiles_, *ends_, *streams_);
  compactions_ = std::make_unique<Compactions>(*core_.store);
  core_.tasks = std::make_unique<SessionTasks>(*core_.store);
  core_.session_log = std::make_unique<SessionLog>(workspace);
  WEFT_CHECK(open_embedder(parts));
  skeleton_ = std::make_unique<Skeleton>(
      [workspace](std::string_view id) -> std::optional<std::string> {
        auto source = read_file(workspace / "templates" / (std::string(id) + ".jinja"));
        return source.ok() ? std::optional(std::move(source).value()) : std::nullopt;
      },
      TemplateLimits(), [workspace] { return template_files(workspace / "templates"); });
  curator_ = std::make_unique<Curator>(curate_options(), core_.models->chat("fast"));
  WEFT_TRY(const StoreCounts counts, core_.store->counts());
  core_.seqs.restart_after(counts.last_seq);
  core_.rows.restart_after(counts.last_row);
  return {};
}

// The configured embedder serves, or the one that the stored vectors came from until those of the new one are complete.
Status EngineImpl::open_embedder(EngineParts& parts) {
  EmbedderModel configured = core_.models->embedder_model();
  if (parts.similarity) configured.similarity = parts.similarity;
  const auto similarity = configured.similarity;
  if (parts.embedder) {
    const std::string name = parts.embedder->name();
    configured = given_model(name, std::move(parts.embedder), similarity);
  } else if (parts.embedders) {
    const std::string& name = core_.config.embedding.model;
    configured = given_model(name, parts.embedders(name), similarity);
  }
  const auto former = [&](const std::string& name) {
    if (parts.embedders) return given_model(name, parts.embedders(name), similarity);
    EmbedderModel model = open_former_model(core_.config, name);
    if (parts.similarity) model.similarity = parts.similarity;
    return model;
  };
  // Sessions in memory hold traces with vectors of the former model.
  WEFT_TRY(core_.change, ModelChange::open(*core_.store, core_.config, std::move(configured), former,
                                           [this] { core_.sessions->forget_all(); }));
  return {};
}

void EngineImpl::start_threads() {
  const auto make = [this](Background::Work work) {
    threads_.push_back(std::make_unique<Background>(std::move(work)));
    return threads_.back().get();
  };
  core_.indexer = make([this](std::stop_token stop) { return workers_->embed_items(stop); });
  if (core_.change->under_way()) make([this](std::stop_token stop) { return workers_->change_model(stop); });
  for (std::int64_t i = 0; i < std::max<std::int64_t>(1, core_.config.historian.workers); ++i) {
    core_.historians.push_back(make([this](std::stop_token stop) { return workers_->work_off_queue(stop); }));
  }
  if (const auto left = ErasureRecords(core_.config.workspace).pending(); !left.ok() || !left->empty())
    make([this](std::stop_token stop) { return eraser_->resume_erasures(stop); });
  make([this](std::stop_token stop) { return operations_->watch_health(stop); });
  core_.compactor = make([this](std::stop_token stop) { return work_off_compactions(stop); });
  if (leads_) {
    core_.lead_maker = make([this](std::stop_token stop) {
      leads_->work(stop);
      return std::optional<std::chrono::milliseconds>();
    });
  }
  core_.idle = make([this](std::stop_token stop) { return streams_->close_idle(stop); });
  // They wake each other: none begins before all are there.
  for (const auto& thread : threads_) thread->start();
}

EngineImpl::~EngineImpl() {
  curator_ = nullptr;
  for (auto& thread : threads_) thread->stop();
}

}  // namespace weft
