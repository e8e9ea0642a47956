#include "engine/tool_chooser.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "engine/engine_core.h"
#include "flow/context/tool_text.h"

namespace weft {
namespace {

constexpr std::int64_t kToolTokens = 120;
constexpr std::size_t kMostSessions = 1024;  // whose offered tools are known
constexpr std::size_t kLastCalls = 64;  // of the history: what was called before them is no longer in use

std::string last_said(const ContextInput& input) {
  for (auto entry = input.history.rbegin(); entry != input.history.rend(); ++entry)
    if (entry->message.role == Role::kUser) return entry->message.content;
  return {};
}

std::set<std::string> called_in(const ContextInput& input) {
  std::set<std::string> names;
  std::size_t seen = 0;
  for (auto entry = input.history.rbegin(); entry != input.history.rend() && seen < kLastCalls; ++entry) {
    for (const ToolCall& call : entry->message.tool_calls) names.insert(call.name);
    seen += entry->message.tool_calls.size();
  }
  return names;
}

}  // namespace

// Kept as they are while the task lasts; what the input needs besides, or was called, is added behind them.
OfferedTools ToolChooser::described_tools(const std::string& key, const ContextRequest& what, std::size_t most,
                                          const ContextInput& input, const ToolIndex& index,
                                          const ToolIndex::Models& models, const Deadline& deadline) {
  ToolNeed need;
  need.task = input.task.description;
  need.input = last_said(input);
  need.step = input.task.current;
  need.in_use = called_in(input);
  OfferedTools offered;
  {
    auto known = core_.described_tools.lock();
    if (const auto at = known->find(key); at != known->end()) offered = at->second;
  }
  ToolBounds bounds{static_cast<std::size_t>(core_.config.context.tools_min),
                    static_cast<std::size_t>(core_.config.context.tools_max)};
  if (most > 0) bounds = {most, most};
  offer_tools(offered, digest_of(what.tools), index, need, bounds, models, deadline);
  auto known = core_.described_tools.lock();
  if (known->size() >= kMostSessions) known->clear();
  (*known)[key] = offered;
  return offered;
}

void ToolChooser::choose(const std::string& key, const ContextRequest& what, std::size_t offered_tools,
                         ContextInput& input, const Deadline& deadline) {
  if (what.tools.empty()) return;
  const auto index = indexes_.of(what.tools);
  const auto serving = core_.change->serving();
  const ToolIndex::Models models{serving->embedder(), serving->model.similarity.get()};
  if (models.embedder != nullptr && !index->embedded(models.embedder->name())) {
    auto waiting = to_embed_.lock();
    if (std::find(waiting->begin(), waiting->end(), index) == waiting->end()) waiting->push_back(index);
    core_.compactor.wake();
  }
  const OfferedTools offered = described_tools(key, what, offered_tools, input, *index, models, deadline);
  for (const OfferedTool& one : offered.tools) {
    const ToolInfo& tool = what.tools[one.index];
    if (what.describe_tools)
      input.tools.push_back({tool.name, tool_text(tool, kToolTokens, core_.models->tokens()), one.score});
    input.allowed_tools.push_back(tool.name);
  }
}

void ToolChooser::embed(std::stop_token stop) {
  for (;;) {
    std::shared_ptr<ToolIndex> index;
    {
      auto waiting = to_embed_.lock();
      if (waiting->empty() || stop.stop_requested()) return;
      index = std::move(waiting->back());
      waiting->pop_back();
    }
    const auto serving = core_.change->serving();
    if (serving->embedder() == nullptr || !serving->model.similarity || index->embedded(serving->embedder()->name()))
      continue;
    const Status done = index->embed(*serving->embedder(), *serving->model.similarity, Deadline({}, stop));
    if (!done.ok() && !stop.stop_requested()) log_warning("tools.embed", done.error().message);
  }
}

}  // namespace weft
