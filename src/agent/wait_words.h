#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/growth_records.h"

namespace weft {

/// Tools that the loop knows by name.
inline constexpr std::string_view kHumanAsk = "human_ask", kAgentSpawn = "agent_spawn";

/// Tools that are offered with every call, however many others there are: part of how an agent works.
inline constexpr std::string_view kAlwaysOffered[] = {kHumanAsk, "result_read", "task_progress", "memory_search",
                                                      "end"};

/// What a person can say of a call of which nobody knows whether it was made.
inline constexpr std::string_view kDoneBefore = "done", kNotDone = "not done", kTryAgain = "try again";

/// The arguments of human_ask.
struct HumanQuestion {
  std::string question, why, fallback;
  std::vector<std::string> choices;
  QuestionKind kind = QuestionKind::kKnowledge;
};
WEFT_DESCRIBED(HumanQuestion);

}  // namespace weft
