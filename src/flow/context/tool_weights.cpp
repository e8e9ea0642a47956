#include "flow/context/tool_index.h"

namespace weft {

// Written by `weft fit tools`; docs/quality.md says on what.
const ToolIndexOptions& tool_weights() {
  static constexpr ToolIndexOptions kFitted;
  return kFitted;
}

}  // namespace weft
