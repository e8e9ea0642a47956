#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "base/threads.h"
#include "engine/engine_core.h"
#include "engine/engine_impl.h"
#include "engine/old_queue.h"
#include "flow/stream/session_state.h"
#include "ports/files/erasure_record.h"
#include "ports/files/file_system.h"

namespace weft {
namespace {

constexpr std::size_t kSessionsInMemory = 256;
constexpr std::chrono::milliseconds kOthersPause{2000};
constexpr int kRoundsPerLoad = 30;  // open sessions of all scopes are read once a minute

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
  WEFT_CHECK(engine->open_core(std::move(parts)));
  WEFT_CHECK(engine->make_services());
  WEFT_CHECK(engine->streams_->load_open_sessions());
  const Status begun = guarded("beginning", [&] { return engine->start_threads(), Status(); });
  if (!begun.ok())
    return unavailable("the engine: the system gives it too few threads: " + begun.error().message,
                       "allow more threads (ulimit -u, the limit of pids of the container)");
  return engine;
}

Status EngineImpl::open_core(EngineParts parts) {
  WEFT_CHECK(make_private_folder(core_.config.workspace));
  WEFT_TRY(core_.lock, WorkspaceLock::take(core_.config.workspace));
  const auto on_append = [this](const WriteBatch& written) {
    if (core_.log_readers) core_.log_readers->appended(written);
    if (core_.feed) core_.feed->appended(written);
  };
  WEFT_TRY(core_.store, open_store(store_url(core_.config), on_append));
  if (parts.store) core_.store = parts.store(std::move(core_.store));
  const std::filesystem::path workspace(core_.config.workspace);
  WEFT_CHECK(take_in_old_queue(*core_.store, workspace / "queues"));
  if (!core_.store->is_shared()) WEFT_CHECK(core_.store->jobs().release_all());
  core_.clock = parts.clock ? std::move(parts.clock) : std::make_unique<SystemClock>();
  core_.log_readers = std::make_unique<LogReaders>(*core_.store, core_.erasure_gate);
  core_.feed = std::make_unique<Feed>(*core_.store, *core_.clock);
  core_.documents = std::make_unique<DocumentFiles>(*core_.store);
  WEFT_TRY(core_.profile_files,
           ProfileFiles::open(*core_.store, *core_.documents, workspace / "profiles", core_.clock->now(),
                              static_cast<std::size_t>(core_.config.cognitive_historian.profile_revision_keep)));
  core_.end_summaries = std::make_unique<EndSummaries>(workspace / "end_summaries.json");
  core_.given_historian = std::move(parts.historian);
  Config models = core_.config;
  if (parts.embedder || parts.embedders) models.embedding.provider = EmbeddingProvider::kNone;
  WEFT_TRY(core_.models, ModelSet::open(models, [this](const ModelCall& call) { core_.usage->note_model_call(call); }));
  // Tokens that no server counts are counted as prompts are.
  const auto count = [this](const std::string& model, std::string_view text) {
    return core_.models->tokens_for(model, {}).count(text);
  };
  WEFT_TRY(core_.usage, UsageLedger::open(core_.config, *core_.clock, count));
  // Metrics list every role, also one that has not been called yet.
  for (const auto& [role, chat] : core_.models->counted()) core_.usage->expect(role, chat->name());
  core_.facts = std::make_unique<KnownFacts>(*core_.store);
  core_.sessions = std::make_unique<SessionTable>(*core_.store, kSessionsInMemory);
  core_.tasks = std::make_unique<SessionTasks>(*core_.store);
  core_.session_log = std::make_unique<SessionLog>(workspace);
  WEFT_CHECK(open_embedder(parts));
  return {};
}

// Each service is made after those that it uses.
Status EngineImpl::make_services() {
  if (core_.historian() != nullptr) leads_ = std::make_unique<LeadMaker>(core_.config, core_.historian());
  beliefs_ = std::make_unique<BeliefBook>(*core_.documents, GrowthFiles{core_.config.workspace}, *core_.clock,
                                          core_.config.adaptation);
  profiles_ = std::make_unique<Profiles>(core_);
  knowledge_ = std::make_unique<Knowledge>(core_);
  searcher_ = std::make_unique<Searcher>(core_, *knowledge_);
  watcher_ = std::make_unique<Watcher>(core_);
  tasks_ = std::make_unique<Tasks>(core_, *beliefs_);
  diaries_ = std::make_unique<Diaries>(core_);
  ends_ = std::make_unique<Ends>(core_, *profiles_);
  said_ = std::make_unique<SaidMemory>(core_, *profiles_, *ends_);
  operations_ = std::make_unique<Operations>(core_, *ends_);
  states_ = std::make_unique<States>(core_);
  quests_ = std::make_unique<Quests>(core_);
  lore_ = std::make_unique<LoreBook>(core_);
  streams_ = std::make_unique<Streams>(core_, *said_, *states_, leads_.get());
  compactions_ = std::make_unique<Compactions>(*core_.store);
  histories_ = std::make_unique<Histories>(core_, *compactions_);
  session_compactions_ = std::make_unique<SessionCompactions>(core_, *compactions_, *histories_);
  tools_ = std::make_unique<ToolChooser>(core_);
  skeletons_ = std::make_unique<SkeletonStream>(core_, *states_);
  curations_ = std::make_unique<CurationStream>(core_, *searcher_);
  planner_ = std::make_unique<TurnPlanner>(core_, *states_, *quests_, *lore_, *skeletons_);
  follower_ = std::make_unique<ScopeFollower>(core_, states_->shelf(), *compactions_, *planner_, *diaries_);
  workers_ = std::make_unique<Workers>(core_, *follower_, *ends_, *said_, *states_, *knowledge_);
  mcp_ = std::make_unique<McpServers>(core_);
  researches_ = std::make_unique<Researches>(core_, services_, *mcp_);
  run_streams_ = std::make_unique<RunStreams>(core_);
  active_runs_ = std::make_unique<ActiveRuns>(core_.config.agent);
  run_kit_ = std::make_unique<RunKit>(core_, services_, run_streams_->results(), *mcp_, *researches_);
  WEFT_TRY(auto chooser, StateChooser::open(core_));
  skills_ = std::make_unique<Skills>(core_, std::move(chooser));
  WEFT_CHECK(skills_->open());
  rules_ = std::make_unique<Rules>(core_, skills_->shelf(), *run_kit_);
  prompts_ = std::make_unique<Prompts>(
      core_, PromptServices{*profiles_, *searcher_, *tasks_, *streams_, *histories_, *session_compactions_, *tools_,
                            *planner_, *skeletons_, *curations_, *diaries_, *knowledge_, *rules_, *skills_});
  desk_ = std::make_unique<QuestionDesk>(core_, *beliefs_);
  WEFT_CHECK(desk_->open());
  learnt_messages_ = std::make_unique<LearntMessages>(*desk_, RunLearning(core_.config.workspace));
  adaptation_ = std::make_unique<Adaptation>(core_, *beliefs_, *desk_, *learnt_messages_);
  taught_skills_ = std::make_unique<TaughtSkills>(*learnt_messages_, *skills_);
  replayer_ = std::make_unique<RunReplayer>(core_, *run_streams_, *run_kit_);
  reflections_ = std::make_unique<Reflections>(core_, *rules_, *skills_, *run_streams_, *active_runs_);
  WEFT_CHECK(reflections_->open());
  gaps_ = std::make_unique<RunGapFinder>(core_, *profiles_, *tasks_, *searcher_, *desk_);
  run_hooks_ = std::make_unique<RunHooks>(
      RunHooks::Services{*reflections_, *rules_, *skills_, *beliefs_, *gaps_, RunLearning(core_.config.workspace)});
  agents_ = std::make_unique<Agents>(
      core_, services_,
      Agents::Uses{*run_streams_, *active_runs_, *run_kit_, *prompts_, *run_hooks_, *desk_, *reflections_});
  answers_ = std::make_unique<Answers>(core_, *desk_, *streams_, *agents_);
  talk_gaps_ = std::make_unique<TalkGaps>(core_, *gaps_, *beliefs_, *desk_, *answers_, *learnt_messages_);
  replays_ = std::make_unique<Replays>(core_, Replays::Services{*replayer_, *rules_, *skills_, *reflections_});
  WEFT_CHECK(replays_->open());
  eraser_ = std::make_unique<Eraser>(
      core_, ErasureServices{*profiles_, *ends_, *streams_, *states_, *diaries_, *knowledge_, *desk_, *talk_gaps_,
                             *adaptation_, LessonEraser(*reflections_, *rules_, *skills_), *replays_,
                             RunEraser(*run_streams_, *active_runs_, *run_kit_, *agents_), *researches_, *searcher_,
                             *compactions_, *session_compactions_, *planner_, *curations_, leads_.get()});
  fill_services();
  std::vector<LogReader*> readers{profiles_.get(), reflections_.get(), answers_.get()};
  if (core_.config.memory.daily) readers.push_back(diaries_.get());
  if (core_.config.adaptation.learn)
    readers.insert(readers.end(), {adaptation_.get(), talk_gaps_.get(), taught_skills_.get()});
  return core_.log_readers->open(readers, *follower_);
}

void EngineImpl::fill_services() {
  services_ = {.streams = streams_.get(),
               .ends = ends_.get(),
               .prompts = prompts_.get(),
               .tasks = tasks_.get(),
               .compactions = session_compactions_.get(),
               .search = searcher_.get(),
               .erasure = eraser_.get(),
               .profiles = profiles_.get(),
               .states = states_.get(),
               .quests = quests_.get(),
               .lore = lore_.get(),
               .operations = operations_.get(),
               .knowledge = knowledge_.get(),
               .days = diaries_.get(),
               .rules = rules_.get(),
               .agents = agents_.get(),
               .hindsight = reflections_.get(),
               .skills = skills_.get(),
               .beliefs = adaptation_.get(),
               .questions = answers_.get(),
               .watch = watcher_.get(),
               .research = researches_.get(),
               .usage = core_.usage.get(),
               .follower = follower_.get()};
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
  WEFT_TRY(core_.change, ModelChange::open(*core_.store, core_.config, std::move(configured), former, *core_.sessions));
  return {};
}

void EngineImpl::start_threads() {
  using Waits = Background::Waits;
  const auto make = [this](const char* name, Waker& waker, Background::Work work, Waits waits = Waits::kNobody) {
    threads_.push_back(std::make_unique<Background>(name, waker, std::move(work), waits));
  };
  make("embed", core_.indexer, [this](std::stop_token stop) { return workers_->embed_items(stop); });
  if (core_.change->under_way())
    make("change_model", unwoken_, [this](std::stop_token stop) { return workers_->change_model(stop); });
  for (std::int64_t i = 0; i < std::max<std::int64_t>(1, core_.config.historian.workers); ++i)
    make("queue", core_.historians, [this](std::stop_token stop) { return workers_->work_off_queue(stop); });
  if (core_.config.queue.mirror)
    make("show_jobs", core_.job_mirror, [this](std::stop_token) { return workers_->show_jobs(); });
  if (const auto left = ErasureRecords(core_.config.workspace).pending(); !left.ok() || !left->empty())
    make("erase", unwoken_, [this](std::stop_token stop) { return eraser_->resume_erasures(stop); });
  if (!run_streams_->endings().all().empty())
    make("close_runs", unwoken_, [this](std::stop_token stop) {
      agents_->close_left(stop);
      return std::optional<std::chrono::milliseconds>();
    });
  make("health", unwoken_, [this](std::stop_token stop) { return operations_->watch_health(stop); });
  make("compact", core_.compactor, [this](std::stop_token stop) {
    profiles_->index_changed_profiles();
    tools_->embed(stop);
    return session_compactions_->work_off(stop);
  });
  if (leads_)
    make("lead", core_.lead_maker, [this](std::stop_token stop) {
      leads_->work(stop);
      return std::optional<std::chrono::milliseconds>();
    });
  make("diary", core_.diarist, [this](std::stop_token stop) {
    const auto uses = knowledge_->keep_uses(stop);
    const auto days = diaries_->shorten_old_days();
    return uses && days ? std::min(*uses, *days) : uses ? uses : days;
  });
  // These wait for models and tools rather than compute, often in a command that ends soon.
  make("replay", core_.replayer, [this](std::stop_token stop) { return replays_->work(stop); }, Waits::kCall);
  make("reflect", core_.reflector, [this](std::stop_token stop) { return reflections_->work(stop); }, Waits::kCall);
  make("ask", core_.asker, [this](std::stop_token stop) { return answers_->work(stop); });
  make("skills", core_.skill_embedder, [this](std::stop_token stop) { return skills_->warm(stop); });
  make("feed", core_.feed->waker(), [this](std::stop_token stop) { return core_.feed->work(stop); }, Waits::kCall);
  make("segment", core_.segmenter, [this](std::stop_token stop) { return streams_->place_blocks(stop); });
  make("close_idle", core_.idle, [this](std::stop_token stop) { return streams_->close_idle(stop); });
  // Another program may leave work undone. Nobody wakes the threads of this one for it.
  if (core_.store->is_shared())
    make("others", unwoken_, [this, round = 0](std::stop_token) mutable {
      const auto next = core_.change->progress();
      const std::string embedder = next.model.empty() ? core_.change->serving()->model.name : next.model;
      if (const Status joined = core_.store->join(embedder); !joined.ok())
        log_error("store.join", joined.error().message);
      if (++round % kRoundsPerLoad == 0)
        if (const Status loaded = streams_->load_open_sessions(); !loaded.ok())
          log_error("idle.load", loaded.error().message);
      for (Waker* waker :
           {&core_.indexer, &core_.historians, &core_.job_mirror, &core_.segmenter, &core_.idle, &core_.asker})
        waker->wake();
      core_.log_readers->wake();
      core_.feed->wake();
      return std::optional(kOthersPause);
    });
  for (const auto& thread : threads_) thread->start();
  core_.log_readers->start();
}

EngineImpl::~EngineImpl() {
  if (researches_) researches_->stop_all();  // runs may wait for one
  // What works in the background speaks to runs, too; runs that are stopped then only wake it.
  if (core_.log_readers) core_.log_readers->stop();
  for (auto& thread : threads_) thread->stop();
  if (agents_) agents_->stop_all();
  replays_ = nullptr;
  agents_ = nullptr;
  researches_ = nullptr;
  prompts_ = nullptr;
  curations_ = nullptr;
}

}  // namespace weft
