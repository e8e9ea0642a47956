#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
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

/// A call that is to be made. It holds all that its thread needs, so that a tool which does not heed its deadline can
/// be left alone with it.
struct CallJob {
  std::shared_ptr<Tool> tool;
  RequestContext request;
  std::string run, call, arguments, key;
  Deadline deadline;
};

/// Makes calls of tools on threads of their own. A call that is not back a moment after its deadline is given up: its
/// thread goes on alone, and what it gives then is dropped. Safe from many threads.
class CallThreads {
 public:
  CallThreads() : shared_(std::make_shared<Shared>()) {}
  /// Waits some seconds for calls that were given up; what does not end by then is left.
  ~CallThreads();
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  /// Makes all of these calls at the same time. `take` gets each outcome as it comes, on the calling thread.
  void make(std::span<const CallJob> jobs,
            const std::function<void(std::size_t job, Result<ToolOutcome> outcome, double ms)>& take);

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    int running = 0;
  };
  /// A call counts as running as long as its place lives.
  class Place {
   public:
    explicit Place(std::shared_ptr<Shared> shared);
    Place(Place&&) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place();

   private:
    std::shared_ptr<Shared> shared_;
  };
  std::shared_ptr<Shared> shared_;
};

/// Whether a tool may be used without asking.
enum class Permission { kAllow, kAsk, kDeny };

/// Permissions by names of tools, where "shell_*" stands for all that begin so; the longest that fits counts, and of
/// several lists the strictest: a run can tighten what the settings say, never loosen it.
class Permissions {
 public:
  /// Adds a list such as "shell_run=ask,*=allow". kInvalidArgument names what is no permission.
  Status add(std::string_view list);
  Permission of(std::string_view tool) const;

 private:
  using List = std::vector<std::pair<std::string, Permission>>;
  std::vector<List> lists_;
};

/// Whether a name fits a pattern: the same, or the beginning before a '*' at its end.
bool fits_pattern(std::string_view pattern, std::string_view name);

/// Whether it fits one of the patterns.
bool fits_any(std::span<const std::string> patterns, std::string_view name);

}  // namespace weft
