#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "eval/conversations.h"
#include "weft/engine.h"

namespace weft {

/// Sums over questions of what was woven for them.
struct WeavingTally {
  std::size_t questions = 0;
  double gold = 0;  ///< shares of the evidence that stood in the prompts
  double tokens = 0;  ///< spent on memories
  std::size_t found = 0;  ///< pieces of evidence that stood there
  std::size_t slots = 0;  ///< memories
  std::size_t repeats = 0;  ///< slots of which a message already stood behind an earlier one
  std::size_t nothing = 0;  ///< questions for which nothing was woven

  WeavingTally& operator+=(const WeavingTally& other);
};

/// Tallies by set, then by tokens of memories.
using WeavingTallies = std::map<std::string, std::map<std::int64_t, WeavingTally>>;

/// Asks the questions of conversations that the engine has observed, each in a session of its own, for a prompt with
/// room for so many tokens of memories, and looks at what stands in it. The engine needs `config_for_weaving`.
Result<WeavingTallies> measure_weaving(Engine& engine, const std::vector<Conversation>& conversations,
                                       const std::vector<std::int64_t>& budgets);

/// The configuration with which the room for memories is the window alone. `by_room`: their number is not bounded.
Config config_for_weaving(Config config, bool by_room);

/// The scope in which a conversation is replayed.
Result<RequestContext> scope_of(const Conversation& conversation);

}  // namespace weft
