#pragma once

#include <cstdint>
#include <vector>

#include "flow/compaction/session_turns.h"

namespace weft {

/// What decides which turns are sent as they were said.
struct CutTerms {
  std::size_t keep_turns = 8;    ///< the last ones, whole
  std::int64_t target = 0;       ///< tokens of the result; 0: no target, only older turns than those go
  std::int64_t earlier = 0;      ///< tokens of an earlier summary, which is merged
  double least_share = 0.1;      ///< of the summary in what it stands for
};

struct Cut {
  std::vector<bool> kept;  ///< of each message
  std::size_t turns_kept = 0, turns_summarised = 0;
  std::size_t last_turns = 0;  ///< how many of the last turns are whole
  bool split = false;          ///< the last turns alone are too large: older steps of theirs are summarised
  std::int64_t kept_tokens = 0, gone_tokens = 0;
};

/// Decides what is kept: the last `keep_turns` turns, fewer, step by step down to 2, where they and the summary exceed
/// the target; then, where 2 still do, of these the messages of the user, the last 2 steps and as many before them as
/// fit. A turn with a call that waits for its output is always kept, and so are system messages before the first turn.
Cut choose_cut(const std::vector<Message>& history, const SessionTurns& session, const CutTerms& terms);

}  // namespace weft
