#pragma once

#include "engine/knowledge.h"
#include "model/job.h"

namespace weft {

struct EngineCore;

/// The kind of jobs that bring what a flush found into MEMORY.md.
inline constexpr const char* kAppendKind = "append";

/// Appends what a flush before a compaction found worth keeping to MEMORY.md of its scope (002, 1.3): in the words in
/// which it was said, below a heading of its kind, with day and source, so that it goes with its message. What is there
/// in other words is not added, what contradicts an entry is marked below it. Safe from any thread.
class FlushAppend {
 public:
  FlushAppend(EngineCore& core, Knowledge& knowledge) : core_(core), knowledge_(knowledge) {}
  /// Takes in what a job holds; once, however often it is tried.
  Status work_off(const Job& job);

 private:
  EngineCore& core_;
  Knowledge& knowledge_;
};

}  // namespace weft
