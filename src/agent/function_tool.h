#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "agent/tool.h"

namespace weft {

/// A tool that is one function.
class FunctionTool final : public Tool {
 public:
  using Run = std::function<Result<ToolOutcome>(const ToolRequest& request)>;
  FunctionTool(ToolInfo info, ToolEffects effects, Run run)
      : info_(std::move(info)), effects_(effects), run_(std::move(run)) {}
  const ToolInfo& info() const override { return info_; }
  ToolEffects effects() const override { return effects_; }
  Result<ToolOutcome> run(const ToolRequest& request) override { return run_(request); }

 private:
  const ToolInfo info_;
  const ToolEffects effects_;
  const Run run_;
};

inline std::shared_ptr<Tool> make_tool(ToolInfo info, ToolEffects effects, FunctionTool::Run run) {
  return std::make_shared<FunctionTool>(std::move(info), effects, std::move(run));
}

}  // namespace weft
