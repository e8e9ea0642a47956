#pragma once

#include <string>
#include <vector>

#include "ports/store/store.h"
#include "weft/result.h"

namespace weft {

/// What a store can say of its own files and mend in them. All functions may be called from many threads.
class Soundness {
 public:
  virtual ~Soundness() = default;

  /// What the store's own check finds wrong with its files, in its own words, the first hundred; empty: they are sound.
  /// Reads all of it while others go on.
  virtual Result<std::vector<std::string>> faults() = 0;

  /// Makes anew what the store derives from its rows to find them by. Changes no row. Writers wait.
  virtual Status rebuild() = 0;
};

/// That of a store; null for one that can say nothing of itself.
Soundness* soundness_of(Store& store);

}  // namespace weft
