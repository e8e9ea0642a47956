#include "flow/context/tool_index.h"

namespace weft {

// Written by `weft fit tools`; docs/quality.md says on what.
const ToolIndexOptions& tool_weights() {
  static const ToolIndexOptions kFitted = [] {
    ToolIndexOptions weights;
    weights.words.name = 2.17;
    weights.words.parameter_name = 0.5;
    weights.words.parameter_description = 0.5;
    weights.words.value = 0.57;
    weights.words.b = 0.75;
    weights.vector = 0.25;
    weights.clause_vector = 0.35;
    weights.clause = 1.25;
    return weights;
  }();
  return kFitted;
}

}  // namespace weft
