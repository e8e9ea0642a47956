#include "eval/task_embedder.h"

#include "engine/state_chooser.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kModelPatience{60};

}  // namespace

Result<TaskEmbedder> TaskEmbedder::open(const Config& config, const ModelSet& models, bool by_states,
                                        const std::string& vectors) {
  TaskEmbedder made;
  if (by_states) {
    ChatModel* model = models.chat("fast");
    if (model == nullptr || !model->state_space().given())
      return invalid_argument("no chat model is configured whose states could be read",
                              "weft.toml names a local one under [models.NAME], and as fast under [roles]");
    made.states = std::make_unique<StateEmbedder>(*model);
    made.embedder = made.states.get();
    made.similarity = std::make_shared<Similarity>(Similarity::raw());
    if (const std::string& own = config.agent.skill_weights; !own.empty()) {
      WEFT_TRY(made.weights, SkillStates::read_weights(*model, own));
    }
  } else {
    made.embedder = models.embedder();
    made.similarity = models.similarity();
    if (made.embedder != nullptr) WEFT_CHECK(models.wait_ready(Deadline::after(kModelPatience)));
  }
  if (made.embedder == nullptr || vectors.empty()) return made;
  WEFT_TRY(made.kept, VectorFile::open(vectors, *made.embedder));
  made.embedder = made.kept.get();
  return made;
}

}  // namespace weft
