#pragma once

#include <cstdint>

#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// What a prompt may take of a model's window, in tokens.
struct Budget {
  std::int64_t window = 0;
  std::int64_t output = 0;   ///< kept for the answer
  std::int64_t safety = 0;   ///< kept as a margin
  std::int64_t usable = 0;   ///< what is left for the prompt
  std::int64_t memory = 0;   ///< ceiling of the recalled memories
};

/// kTooLarge when nothing is left, saying how large the window would have to be.
Result<Budget> make_budget(const ContextSettings& settings, std::int64_t window);

}  // namespace weft
