#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "agent/tool.h"

namespace weft {

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

}  // namespace weft
