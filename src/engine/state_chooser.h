#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "growth/skill_choice.h"
#include "growth/skill_match.h"
#include "ports/chat/chat_model.h"
#include "ports/embedding/state_embedder.h"
#include "ports/embedding/vector_file.h"

namespace weft {

/// Skills and tasks by what a chat model takes them to call for, see `StateEmbedder`. What skills say of themselves is
/// read in the background, once: it is kept in a file. A task is read when it is matched, which takes as long as the
/// model's first word. Safe from any thread.
class SkillStates {
 public:
  /// The weights that ship for the states of this model; null where none were fitted: by those of another one nothing
  /// is known to be near.
  static const SkillWeights* shipped_for(const ChatModel& model);

  /// What somebody has fitted for it. Errors: kNotFound where there is no such file, kInvalidArgument where it is for
  /// another model, or no file of weights.
  static Result<SkillWeights> read_weights(const ChatModel& model, const std::string& path);

  /// The model and the weights must outlive it. Errors: kUnavailable where the file cannot be written.
  static Result<std::unique_ptr<SkillStates>> open(ChatModel& model, const SkillWeights& weights,
                                                   const std::filesystem::path& file);

  /// Reads what these skills say of themselves as far as it is not kept, and forgets what others said. Errors: the
  /// model's, kCancelled where it is stopped; what was read until then is kept.
  Status learn(std::span<const Skill> skills, const std::stop_token& stop);

  /// Forgets what others than these skills said.
  Status keep_only(std::span<const Skill> skills);

  /// The skills that fit a task, the best first, at most `most`. Errors: kUnavailable while one of the skills is not
  /// read yet; the model's, where it does not read the task in time.
  Result<std::vector<SkillMatch>> match(std::span<const Skill> skills, const std::string& task, std::size_t most,
                                        const Deadline& deadline) const;

  /// What made the vectors, as what was chosen says by what.
  std::string name() const { return states_.name(); }

 private:
  SkillStates(ChatModel& model, const SkillWeights& weights) : states_(model), weights_(weights) {}

  mutable StateEmbedder states_;
  const SkillWeights& weights_;
  std::unique_ptr<VectorFile> kept_;
};

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
