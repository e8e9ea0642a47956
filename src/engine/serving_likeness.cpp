#include "engine/serving_likeness.h"

#include "engine/engine_core.h"

namespace weft {

std::vector<double> ServingLikeness::to_all(std::string_view text, std::span<const std::string> others) const {
  if (others.empty()) return {};
  const auto serving = core_.change->serving();
  if (serving->embedder() == nullptr) return WordLikeness().to_all(text, others);
  return VectorLikeness(*serving->embedder(), serving->model.similarity, limit_).to_all(text, others);
}

TextVectors ServingLikeness::vectors(std::span<const std::string> texts) const {
  const auto serving = core_.change->serving();
  if (serving->embedder() == nullptr) return {};
  return VectorLikeness(*serving->embedder(), serving->model.similarity, limit_).vectors(texts);
}

bool ServingLikeness::by_meaning() const { return core_.change->serving()->embedder() != nullptr; }

}  // namespace weft
