#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "engine/skill_states.h"
#include "growth/skill_choice.h"

namespace weft {

struct EngineCore;

/// Chooses skills by the states of the model of the role "fast", where weights were fitted for them. Their file is
/// opened when there is something to keep. `core` must outlive it. Safe from any thread.
class StateChooser {
 public:
  /// Reads the weights that are configured. Errors: see `SkillStates::read_weights`; kInvalidArgument where some are
  /// configured and no model has the role.
  static Result<std::unique_ptr<StateChooser>> open(const EngineCore& core);

  /// Whether states can choose at all: they can where there are weights for them.
  bool serves() const { return weights_ != nullptr; }

  /// The skills that fit a task, the best first; none where states do not serve, or some are still to come.
  std::optional<SkillChoice> choose(std::span<const Skill> skills, const std::string& task, std::size_t most,
                                    const Deadline& deadline);

  /// Reads what these skills say of themselves, and forgets what others said. In the background. False where something
  /// is left to read, since the model failed or reading was stopped.
  bool learn(std::span<const Skill> all, const std::stop_token& stop);

  /// Forgets what others than these skills said; all of it where states do not serve. Errors: those of the file.
  Status keep_only(std::span<const Skill> left);

 private:
  explicit StateChooser(const EngineCore& core) : core_(core) {}
  /// Opened where there is a file of them or one is `wanted`; null: there are none, or not yet.
  std::shared_ptr<SkillStates> states(bool wanted);

  const EngineCore& core_;
  std::optional<SkillWeights> own_weights_;
  const SkillWeights* weights_ = nullptr;  ///< null: states do not serve
  std::mutex mutex_;  ///< of what follows
  std::shared_ptr<SkillStates> states_;
};

/// The model of the role "fast"; null where the configuration names none.
ChatModel* fast_model(const EngineCore& core);

}  // namespace weft
