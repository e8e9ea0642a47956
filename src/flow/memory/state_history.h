#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "flow/memory/state_tree.h"
#include "weft/state.h"

namespace weft {

/// One version as it is kept: what was applied, and the record that takes exactly this back.
struct StateRecord {
  StateVersion version;
  std::string undo;
};

/// A tree as it stood after a version, as JSON.
struct StateSnapshot {
  std::int64_t version = 0;
  std::string json = "{}";
};

/// Gives the tree as it stands after the last of `records`, which begin right after the snapshot and have no gap.
/// kCorrupt with the version where a record does not fit.
Result<StateTree> replay(const StateSnapshot& snapshot, std::span<const StateRecord> records,
                         const StateLimits& limits = {});

/// Takes the tree, which stands after the last of `records`, back to where it stood after version `to`. The records
/// must reach from version `to` + 1 to the last. The tree is as before after an error. What is given back is kept as
/// one more version: its operations are [["ROLLBACK",to]], which `replay` understands, so that a rollback can be rolled
/// back.
Result<AppliedChange> roll_back(StateTree& tree, std::span<const StateRecord> records, std::int64_t to);

}  // namespace weft
