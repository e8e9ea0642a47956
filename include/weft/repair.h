#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "weft/ids.h"

namespace weft {

/// One event that was made anew, for showing.
struct RepairedEvent {
  ScopeKey scope;
  ItemId id;
  std::string before, after;  ///< its text
};

/// What making events anew from their sources changed, or would change.
struct RepairReport {
  std::size_t events = 0;   ///< looked at
  std::size_t changed = 0;  ///< say something else now
  std::size_t same = 0;
  std::size_t kept = 0;  ///< left as they are: worded by a model, or without what they were made from
  std::vector<RepairedEvent> examples;  ///< the first few of those that changed
};

}  // namespace weft
