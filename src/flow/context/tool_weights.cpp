#include "flow/context/tool_index.h"
#include "text/weight_file.h"

namespace weft {

const ToolIndexOptions& tool_weights() {
  static const ToolIndexOptions kFitted = [] {
    const WeightFile file = shipped_weights("tools");
    ToolIndexOptions weights;
    weights.words.name = file.number("words.name");
    weights.words.parameter_name = file.number("words.parameter_name");
    weights.words.parameter_description = file.number("words.parameter_description");
    weights.words.value = file.number("words.value");
    weights.words.b = file.number("words.b");
    weights.vector = file.number("vector");
    weights.clause_vector = file.number("clause_vector");
    weights.clause = file.number("clause");
    return weights;
  }();
  return kFitted;
}

}  // namespace weft
