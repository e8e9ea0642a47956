#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/research.h"
#include "agent/run_files.h"
#include "agent/run_state.h"
#include "agent/tool.h"
#include "base/clock.h"
#include "engine/services.h"
#include "model/rows.h"
#include "weft/agent.h"
#include "weft/agent_runs.h"
#include "weft/request.h"
#include "weft/research.h"

namespace weft {

struct EngineCore;
class McpServers;
struct ResearchTools;

/// Researches: jobs on threads of their own, each a folder research/…/ID with its task, its streams and its report; and
/// what is kept of what they found. Safe from any thread.
class Researches final {
 public:
  Researches(EngineCore& core, const Services& services, McpServers& mcp);
  ~Researches();  ///< stops all; they can be resumed

  // As the facet `Research` says.
  Result<ResearchReport> start(const RequestContext& request, const ResearchTask& task);
  Result<ResearchReport> resume(const RequestContext& request, const std::string& id);
  Result<ResearchReport> stop(const RequestContext& request, const std::string& id);
  Result<ResearchReport> show(const RequestContext& request, const std::string& id);
  Result<std::vector<ResearchReport>> list(const RequestContext& request, std::size_t limit, const std::string& after);
  Result<std::vector<BusEvent>> events(const RequestContext& request, const std::string& id, std::uint64_t since,
                                       std::chrono::milliseconds wait);

  /// The tool `research` of a run: it gives the summary, and is learnt from as the run is. A second call with its key
  /// gives the same research.
  Status add_tool(const RunState& state, ToolRegistry& into);
  /// Stops all that are at work, without waiting.
  void stop_all();
  /// Takes out what holds words of erased messages; of a scope that is erased whole, everything.
  Status erase(const ErasedMessages& lost);

 private:
  /// The stream of a research as a whole, beside those of its researchers: a file NAME.jsonl in its folder.
  static constexpr const char* kStream = "events";

  /// A research that is at work.
  struct Active {
    std::stop_source stop;
    ScopeKey scope;
    std::jthread thread;  ///< none where it works on the thread of a tool's call
    std::atomic<bool> done = false;
  };

  std::filesystem::path folder_of(const ScopeKey& scope, const std::string& id) const;
  Result<std::shared_ptr<Bus>> bus_of(const std::filesystem::path& path, bool make);
  Result<ResearchReport> read(const RequestContext& request, const std::string& id);
  Result<ResearchTask> read_task(const RequestContext& request, const std::string& id);
  Status write(const RequestContext& request, const ResearchReport& report);
  bool at_work(const ScopeKey& scope, const std::string& id);

  Result<ResearchReport> begin(const RequestContext& request, const std::string& id, const ResearchTask& task);
  Result<std::shared_ptr<Active>> take(const ScopeKey& scope, const std::string& id);
  Status launch(const RequestContext& request, const std::string& id);
  /// Works one off to its end; on any thread.
  Status work(const RequestContext& request, const std::string& id, const Deadline& deadline);
  Result<ResearchTools> tools_of(const ResearchTask& task, const ResearchSettings& set);
  Result<ResearchSettings> settings() const;
  /// `learn`: as the run was begun.
  Result<ToolOutcome> run_tool(const ToolRequest& call, bool learn);

  EngineCore& core_;
  const Services& services_;
  McpServers& mcp_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Bus>> buses_;  ///< by path
  std::map<std::string, std::shared_ptr<Active>> active_;  ///< by scope and id
  CallThreads threads_;
};

}  // namespace weft
