#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "weft/choices.h"
#include "weft/config.h"
#include "weft/facets/adaptation.h"
#include "weft/facets/agents.h"
#include "weft/facets/growth.h"
#include "weft/facets/hindsight.h"
#include "weft/facets/memory.h"
#include "weft/facets/scope_profiles.h"
#include "weft/facets/session.h"
#include "weft/facets/state.h"
#include "weft/facets/story.h"
#include "weft/facets/upkeep.h"
#include "weft/facets/watch.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/status.h"
#include "weft/time.h"

namespace weft {

/// The engine. What it does for one caller stands in facets, small values that are as short to make as to use:
///
///     const auto ann = weft::Scope::of_user("ann");
///     engine->session(ann, "today").observe(weft::Message::user("My sister Mei lives in Utrecht."));
///     engine->memory(ann).search("Where does Mei live?");
///
/// All functions may be called from any thread; calls on one session are put in order. Nothing acknowledged by a
/// successful return is lost when the process dies afterwards. Facets must not outlive the engine.
class Engine {
 public:
  /// Opens or makes the workspace, with the settings of its weft.toml under those of `config`, see `settle_config`.
  /// kConflict where another process holds it; kInvalidArgument, naming the key and what it may be, for a setting that
  /// makes no sense.
  static Result<std::unique_ptr<Engine>> open(const Config& config);
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// One conversation of a scope.
  Session session(const Caller& caller, std::string_view id) const;
  Session session(const Caller& caller, SessionId id) const;
  /// What is remembered of a scope.
  Memory memory(const Caller& caller) const;
  /// The profile of a scope's user or group.
  ScopeProfiles profiles(const Caller& caller) const;
  /// A state of a scope by its name.
  State state(const Caller& caller, std::string_view name = "default") const;
  /// Quests and lore of a scope.
  Story story(const Caller& caller) const;
  /// Runs of agents of a scope.
  AgentRuns agents(const Caller& caller) const;
  /// What is believed of a user's preferences.
  Beliefs beliefs(const Caller& caller) const;
  /// What only the user can answer.
  Questions questions(const Caller& caller) const;
  /// Queue, backups and repairs of the workspace.
  Upkeep upkeep() const;
  /// What the agent learns: rules, and changes of skills.
  Growth growth(const Caller& caller) const;

  /// Looking on: conversations, prompts, what happens now.
  Watch watch(const Caller& caller) const;

  /// Tasks that are over, and what was learnt of them.
  Hindsight hindsight(const Caller& caller) const;

  /// How it is: models, queue, what has been kept, and what is wrong.
  EngineStatus status() const;
  /// Waits until the queue is empty and every item has its vector, or the time is up (then kTimeout).
  Status drain(std::chrono::milliseconds limit) const;
  /// Waits until the embedder is ready or has failed.
  Status wait_ready(std::chrono::milliseconds limit) const;

  /// What is known of a model by its name: from refusals, weft.toml, its server's list and what Weft ships.
  virtual ModelTraits model_traits(const std::string& model) = 0;
  /// Takes in what a model's server says of it; kept until the engine is closed.
  virtual void learn_model(const std::string& model, const ModelLesson& lesson) = 0;

  /// The settings that hold.
  virtual const Config& config() const = 0;
  /// The engine's clock, by which relative times are read.
  virtual Time now() const = 0;

 protected:
  Engine() = default;
  /// What the facets stand on.
  virtual const Services& services() const = 0;
};

/// Puts a backup in the place of a workspace that is empty or not there, and checks it first: kCorrupt where a file is
/// not what the backup's list says, kConflict where the workspace holds something.
Result<BackupReport> restore_backup(const std::string& folder, const std::string& workspace);

}  // namespace weft
