#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/model_set.h"
#include "growth/skill_space.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/similarity.h"
#include "ports/embedding/state_embedder.h"
#include "ports/embedding/vector_file.h"

namespace weft {

/// What makes the vectors of tasks and skills while they are measured: the configured embedder, or the states of the
/// chat model of the role "fast". The models must outlive it.
struct TaskEmbedder {
  std::unique_ptr<StateEmbedder> states;
  std::unique_ptr<VectorFile> kept;
  Embedder* embedder = nullptr;  ///< null: none is configured
  std::shared_ptr<const Similarity> similarity;
  std::optional<SkillWeights> weights;  ///< those that are configured for the states; none: what ships

  /// `vectors`, a file, keeps vectors for further runs; empty: none does. Errors: kInvalidArgument where states are
  /// wanted and no model gives any; those of an embedder that does not load.
  static Result<TaskEmbedder> open(const Config& config, const ModelSet& models, bool by_states,
                                   const std::string& vectors);
};

}  // namespace weft
