#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "text/record.h"
#include "weft/time.h"

namespace weft {

/// Who is learnt from, and what models may be asked for it in the background: learning.json of the workspace. It is
/// read when it is needed, so that what a person or an operation changes holds at once, also in a server that runs. A
/// file that is not there is as if it were empty.
struct LearningPlan {
  bool enabled = true;
  std::string scopes = "*";                             ///< patterns, see `is_meant`
  std::int64_t day_tokens = 200'000, day_minutes = 60;  ///< of models, in the background; 0: none is asked
  std::int64_t from_hour = 0,
               to_hour = 24;  ///< of the day, in local time; `to_hour` before `from_hour`: the next day's
  std::int64_t replays = 3;      ///< past tasks that a candidate is tried on before it is promoted; 0: none is
  std::int64_t regressions = 0;  ///< of these, that it may break
};
WEFT_DESCRIBED(LearningPlan);

/// kInvalidArgument, naming the field, for a file that makes no sense.
Result<LearningPlan> read_learning_plan(const std::filesystem::path& workspace);

/// Puts the file in the place of the one that is there. kInvalidArgument for hours between which there is no time.
Status write_learning_plan(const std::filesystem::path& workspace, const LearningPlan& plan);

/// Whether this moment lies in the hours of the plan.
bool is_time_for(const LearningPlan& plan, Time now);

/// Whether anything is learnt from this scope: how to work, what its user prefers. Where the plan cannot be read
/// nothing is, since it may be the very thing that says so.
bool learns_from(const std::filesystem::path& workspace, const ScopeKey& scope);

/// What a call is told that would learn where nothing is to be learnt.
Error learning_is_off(const ScopeKey& scope);

}  // namespace weft
