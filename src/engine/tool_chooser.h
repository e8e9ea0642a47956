#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/sync.h"
#include "flow/context/build_context.h"
#include "flow/context/offered_tools.h"
#include "flow/context/tool_index.h"
#include "weft/engine.h"

namespace weft {

struct EngineCore;

/// Which tools a prompt offers. Safe from any thread.
class ToolChooser {
 public:
  explicit ToolChooser(EngineCore& core) : core_(core) {}

  /// Puts the tools that are worth offering into the input: those that have to do with it, or, unless `offered` is 0,
  /// so many of those that fit best. `key` is of the prompt (see `prompt_key`).
  void choose(const std::string& key, const ContextRequest& what, std::size_t offered, ContextInput& input,
              const Deadline& deadline);

  /// In the background: makes vectors for the lists of tools that were seen. Words choose until they are there.
  void embed(std::stop_token stop);

 private:
  OfferedTools described_tools(const std::string& key, const ContextRequest& what, std::size_t most,
                               const ContextInput& input, const ToolIndex& index, const ToolIndex::Models& models,
                               const Deadline& deadline);

  EngineCore& core_;
  ToolIndexes indexes_;
  Sync<std::vector<std::shared_ptr<ToolIndex>>> to_embed_;
};

}  // namespace weft
