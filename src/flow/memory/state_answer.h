#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Changes of a state that a model wrote into its answer.
struct AnswerOperations {
  std::string state;       ///< whose; "default" where the answer names none
  std::string operations;  ///< one JSON array of all of them, in their order; empty where they cannot be read
  std::string problem;     ///< why they cannot be read
};

/// The fenced blocks of an answer that change a state, as models are told to write them:
///
///   ```state
///   [["ADD","hero.hp",-5]]
///   ```
///
/// A name behind "state" says which; without one it is `usual`. Blocks of one state are one change. A block that is not
/// closed counts up to the end. Text inside other fences is none. Linear.
std::vector<AnswerOperations> operations_in_answer(std::string_view answer, std::string_view usual = "default");

/// The answer without these blocks.
std::string without_state_blocks(std::string_view answer);

}  // namespace weft
