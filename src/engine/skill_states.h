#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
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

}  // namespace weft
