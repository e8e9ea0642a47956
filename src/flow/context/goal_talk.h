#pragma once

#include <string>
#include <string_view>

namespace weft {

/// What somebody says of the goal they work towards.
struct GoalTalk {
  std::string stated;  ///< the sentence in which a goal is set for the time to come; empty: none
  bool ended = false;  ///< the goal that stood is reached or given up
};

/// Reads it by the forms of both languages: "my goal is …", "from now on we …", "I swear to …"; 我的目标是……, 我发誓……;
/// "I give up on …", "never mind the …", 不再……, 目标达成. What is only done next ("I open the door", "I want to
/// sleep") is no goal, nor is a question.
GoalTalk goal_in(std::string_view input);

}  // namespace weft
