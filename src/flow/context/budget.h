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
  std::int64_t other = 0;    ///< taken by what is sent beside the messages
  std::int64_t usable = 0;   ///< what is left for the prompt
  std::int64_t warn = 0;     ///< from so many tokens on a compaction is prepared
  std::int64_t compact = 0;  ///< from so many on it is done before the call

  /// Tokens of a share of the usable window, rounded down.
  std::int64_t of(double share) const;
};

/// Under the policy "reserve" all but output and margin is usable; "ratio" keeps to a share of the window less the
/// output as well. `output` tokens are kept for the answer where the call says how many (0: as configured), `other` are
/// taken by what is sent beside the messages. kTooLarge when nothing is left, saying how large the window would have to
/// be.
Result<Budget> make_budget(const Config& config, std::int64_t window, std::int64_t output = 0, std::int64_t other = 0);

}  // namespace weft
