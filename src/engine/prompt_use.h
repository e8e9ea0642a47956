#pragma once

#include <cstddef>

namespace weft {

/// What a prompt is woven for, beside what its caller asks.
struct PromptUse {
  bool learnt = true;  ///< rules and skills are woven in; false: the caller has its own snapshot of them
  std::size_t offered_tools = 0;  ///< so many tools are offered, those that fit best; 0: as many as have to do with it
};

}  // namespace weft
