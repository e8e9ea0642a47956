#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "engine/agents.h"
#include "engine/background.h"
#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "engine/historian.h"
#include "engine/lessons.h"
#include "engine/memory_files.h"
#include "engine/operations.h"
#include "engine/profiles.h"
#include "engine/prompts.h"
#include "engine/questions.h"
#include "engine/reflections.h"
#include "engine/replays.h"
#include "engine/researches.h"
#include "engine/run_hooks.h"
#include "engine/run_kit.h"
#include "engine/run_streams.h"
#include "engine/searcher.h"
#include "engine/services.h"
#include "engine/states.h"
#include "engine/story.h"
#include "engine/streams.h"
#include "engine/talk_learning.h"
#include "engine/tasks.h"
#include "engine/watch.h"
#include "engine/workers.h"
#include "weft/engine.h"

namespace weft {

/// What may be given instead of the real thing; tests do.
struct EngineParts {
  std::unique_ptr<Clock> clock;             ///< null: the system's
  std::unique_ptr<Embedder> embedder;       ///< null: as configured
  /// Instead of `embedder`: the configured model and, while it changes, the former one, each by its name. Gives null
  /// for a model that cannot be opened.
  std::function<std::unique_ptr<Embedder>(const std::string& model)> embedders;
  std::shared_ptr<const Similarity> similarity;  ///< null: the embedder's calibration
  std::unique_ptr<ChatModel> historian;     ///< null: the configured model of that role
  /// Wraps the opened store; null: it is used as it is.
  std::function<std::unique_ptr<Store>(std::unique_ptr<Store> opened)> store;
};

/// The composition root: configuration → ports → flow. Opens and wires, does nothing itself. Owns everything, and the
/// threads that work in the background: one that embeds, one that changes the embedding model, some that work off the
/// queue, one that closes idle topics.
class EngineImpl final : public Engine {
 public:
  static Result<std::unique_ptr<EngineImpl>> open(const Config& config, EngineParts parts = {});
  ~EngineImpl() override;

  ModelTraits model_traits(const std::string& model) override { return core_.catalogue.of(model); }
  void learn_model(const std::string& model, const ModelLesson& lesson) override {
    core_.catalogue.learn(model, lesson);
  }
  const Config& config() const override { return core_.config; }
  Time now() const override { return core_.clock->now(); }

  /// The models, for surfaces that answer with the local one.
  ModelSet& models() { return *core_.models; }
  /// Compares the index with what it was made from: its words with the texts, its vectors with the embedding model that
  /// serves, its entries with the messages, and the store's files with their own order. Reads everything while calls go
  /// on. With `mend` what follows from the rest is made anew; no message and no memory is changed.
  Result<IndexCheck> check_index(bool mend);

  /// Looks for idle topics now; a test's clock cannot wake a sleeping thread.
  void check_idle() { (void)streams_->close_idle({}); }
  const Metrics& metrics() const { return core_.metrics; }

 private:
  explicit EngineImpl(Config config) : core_(std::move(config)) {}
  const Services& services() const override { return services_; }
  Status open_core(EngineParts parts);
  Status make_services();
  void start_threads();
  void fill_services();
  Status open_embedder(EngineParts& parts);

  EngineCore core_;
  Services services_;
  std::unique_ptr<BeliefBook> beliefs_;
  std::unique_ptr<Profiles> profiles_;
  std::unique_ptr<Knowledge> knowledge_;
  std::unique_ptr<Searcher> searcher_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<Tasks> tasks_;
  std::unique_ptr<Diaries> diaries_;
  std::unique_ptr<Ends> ends_;
  std::unique_ptr<SaidMemory> said_;
  std::unique_ptr<Operations> operations_;
  std::unique_ptr<LeadMaker> leads_;  ///< null: running summaries are made without a model
  std::unique_ptr<States> states_;
  std::unique_ptr<Quests> quests_;
  std::unique_ptr<LoreBook> lore_;
  std::unique_ptr<Streams> streams_;
  std::unique_ptr<Compactions> compactions_;
  std::unique_ptr<Histories> histories_;
  std::unique_ptr<SessionCompactions> session_compactions_;
  std::unique_ptr<ToolChooser> tools_;
  std::unique_ptr<SkeletonStream> skeletons_;
  std::unique_ptr<TurnPlanner> planner_;
  std::unique_ptr<ScopeFollower> follower_;
  std::unique_ptr<Workers> workers_;
  std::unique_ptr<CurationStream> curations_;
  std::unique_ptr<McpServers> mcp_;
  std::unique_ptr<Researches> researches_;
  std::unique_ptr<RunStreams> run_streams_;
  std::unique_ptr<ActiveRuns> active_runs_;
  std::unique_ptr<RunKit> run_kit_;
  std::unique_ptr<Skills> skills_;
  std::unique_ptr<Rules> rules_;
  std::unique_ptr<Prompts> prompts_;
  std::unique_ptr<QuestionDesk> desk_;
  std::unique_ptr<LearntMessages> learnt_messages_;
  std::unique_ptr<Adaptation> adaptation_;
  std::unique_ptr<TaughtSkills> taught_skills_;
  std::unique_ptr<Reflections> reflections_;
  std::unique_ptr<RunGapFinder> gaps_;
  std::unique_ptr<RunHooks> run_hooks_;
  std::unique_ptr<RunReplayer> replayer_;
  std::unique_ptr<Agents> agents_;  // its runs use all of the above
  std::unique_ptr<Answers> answers_;
  std::unique_ptr<TalkGaps> talk_gaps_;
  std::unique_ptr<Replays> replays_;  // after what it uses
  std::unique_ptr<Eraser> eraser_;  // likewise
  Waker unwoken_;  // of threads that work by their own time
  std::vector<std::unique_ptr<Background>> threads_;  // last: they use all of the above
};

}  // namespace weft
