#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "weft/agent.h"
#include "weft/request.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

/// What a call of a tool can do to the world.
enum class ToolEffects {
  kNone,   ///< it only reads: after a kill the call is made again
  kKeyed,  ///< it changes something, and takes a key under which a second call does nothing
  kSome,   ///< it changes something: after a kill between effect and record nobody knows whether it was done
};

/// One call, as a tool gets it.
struct ToolRequest {
  const RequestContext& request;  ///< whose agent it is
  std::string run, call;          ///< ids
  std::string arguments;          ///< a JSON object, checked against the tool's schema
  std::string key;                ///< of `kKeyed` tools: the same for the same call, also after a restart
  Deadline deadline;
};

/// What a call gave.
struct ToolOutcome {
  std::string output;   ///< UTF-8; what is not is told in words
  bool failed = false;  ///< the tool says that it did not work: the model sees the output, the run goes on
  Provenance provenance = Provenance::kTool;  ///< kWeb for what anybody may have written
};

/// Something that an agent can do. Safe from many threads: calls of one answer run at the same time.
class Tool {
 public:
  virtual ~Tool() = default;
  /// Name with a structured prefix ("file_read", "memory_search"), what it does, schema of its arguments.
  virtual const ToolInfo& info() const = 0;
  virtual ToolEffects effects() const = 0;
  /// Makes the call. An error means that the tool itself is not there or did not answer in time; the model is told.
  virtual Result<ToolOutcome> run(const ToolRequest& request) = 0;
};

/// The tools that an agent may call, by name. Filled before a run, then read by its threads.
class ToolRegistry {
 public:
  /// kConflict for a name that is taken, kInvalidArgument for a name that models cannot call: letters, digits, '_' and
  /// '-', at most 64.
  Status add(std::shared_ptr<Tool> tool);
  /// Null where there is none of that name.
  Tool* find(const std::string& name) const;
  /// The same, held by whoever runs it.
  std::shared_ptr<Tool> share(const std::string& name) const;
  /// In the order of their names.
  std::vector<ToolInfo> infos() const;
  std::size_t size() const { return tools_.size(); }

 private:
  std::map<std::string, std::shared_ptr<Tool>> tools_;
};

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
