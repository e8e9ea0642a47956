#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/bus.h"
#include "agent/call_threads.h"
#include "agent/loop.h"
#include "agent/loop_hooks.h"
#include "agent/results.h"
#include "agent/tool.h"
#include "engine/services.h"

namespace weft {

struct EngineCore;

/// Runs of agents: starts their loops on threads of their own, and reads and writes their streams. Safe from any
/// thread.
class Agents final : public AgentService {
 public:
  /// Adds tools to the registry of a run that begins or goes on.
  using ToolSource = std::function<Status(const RequestContext& request, const RunState& state, ToolRegistry& into)>;

  Agents(EngineCore& core, const Services& services);
  ~Agents() override;  ///< stops all runs; they can be resumed

  /// The one place where further tools and what learns from runs are plugged in: while the engine opens, before any
  /// run.
  void add_tools(ToolSource source) { sources_.push_back(std::move(source)); }
  void set_hooks(LoopHooks& hooks) { hooks_ = &hooks; }

  // As `AgentService` says.
  Result<AgentRun> start(const RequestContext& request, const AgentTask& task) override;
  Result<AgentRun> resume(const RequestContext& request, const std::string& run) override;
  Result<AgentRun> interrupt(const RequestContext& request, const std::string& run, const std::string& why) override;
  Result<AgentRun> say(const RequestContext& request, const std::string& run, const std::string& text) override;
  Result<AgentRun> answer(const RequestContext& request, const std::string& run, const AgentAnswer& answer) override;
  Result<AgentRun> fork(const RequestContext& request, const std::string& run, std::uint64_t at) override;
  Result<AgentRun> show(const RequestContext& request, const std::string& run) override;
  Result<std::vector<AgentRun>> list(const RequestContext& request, std::size_t limit) override;
  Result<std::vector<BusEvent>> events(const RequestContext& request, const std::string& run, std::uint64_t since,
                                       std::chrono::milliseconds wait) override;

 private:
  /// A run that is at work.
  struct Active {
    LoopStop stop;
    std::jthread thread;  ///< none for sub-agents, which work on the thread of their call
    std::atomic<bool> done = false;
  };

  /// A run as its own scope sees it.
  struct Seen {
    std::shared_ptr<Bus> bus;
    RunState state;
  };

  std::filesystem::path path_of(const std::string& run) const;
  Result<std::shared_ptr<Bus>> bus_of(const std::string& run, bool make);
  Result<Seen> look(const RequestContext& request, const std::string& run);
  Result<AgentRun> told(const Seen& seen);
  void add_questions(const RunState& state, std::vector<Question>& into);
  bool at_work(const std::string& run);

  Result<std::shared_ptr<Active>> take(const std::string& run);
  Status launch(const RequestContext& request, const Seen& seen);
  Result<LoopEnd> work(const RequestContext& request, const std::string& run, Bus& bus, LoopStop& stop);
  Status begin(Bus& bus, RunStarted start);
  AgentLimits limits_of(const AgentLimits& asked) const;
  LoopSettings loop_settings() const;
  Result<std::string> role_of(const AgentTask& task) const;

  Result<ToolRegistry> tools_of(const RequestContext& request, const RunState& state, Bus& bus);
  Result<ToolOutcome> spawn(const RequestContext& request, const RunState& parent, Bus& bus, const ToolRequest& call);
  std::filesystem::path work_folder() const;

  EngineCore& core_;
  const Services& services_;
  ResultStore results_;
  LoopHooks no_hooks_;
  LoopHooks* hooks_ = &no_hooks_;
  std::vector<ToolSource> sources_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Bus>> buses_;
  std::map<std::string, std::shared_ptr<Active>> active_;
  CallThreads threads_;
};

}  // namespace weft
