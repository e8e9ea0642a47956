#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "flow/context/tool_index.h"

namespace weft {

/// A tool that the prompts of a task offer.
struct OfferedTool {
  std::size_t index = 0;   ///< in the list
  double score = 0;        ///< when it was chosen
  std::size_t needed = 0;  ///< the input that last needed it, or by which it was last seen in use
  bool used = false;       ///< it was called in this task
};

/// The tools that a session's prompts offer, in the order in which they are described. A value; kept from call to call.
struct OfferedTools {
  std::string origin;  ///< of which list, for which task
  std::size_t inputs = 0;
  std::vector<OfferedTool> tools;
};

/// What a step is about.
struct ToolNeed {
  std::string task;  ///< empty: there is none, and each input is a task of its own
  std::string input;  ///< the user's last words
  std::string step;  ///< what the task says it is at; may be empty
  std::set<std::string> in_use;  ///< names of tools that the history calls
};

struct ToolBounds {
  std::size_t least = 3, most = 7;
};

/// Brings the offer up to what is needed now. Tools are first chosen by task and input together; within a task they
/// stay as they are, in their order, so that the prompt only grows: what a further input, or the step, clearly needs is
/// added behind them, and so is what is in use. Over `most` those go first that were needed longest ago; what was
/// called in this task never goes. Where fewer than `least` have anything to do with it, others of the list fill up.
/// Costs and failures as of `ToolIndex::choose`.
void offer_tools(OfferedTools& offered, const std::string& list_digest, const ToolIndex& index, const ToolNeed& need,
                 const ToolBounds& bounds, const ToolIndex::Models& models, const Deadline& deadline);

}  // namespace weft
