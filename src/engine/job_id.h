#pragma once

#include <cstddef>
#include <string>

#include "weft/time.h"

namespace weft {

/// A new id of a run or a research, fit for a file's name: ten digits of the time and `chance` many by chance, so that
/// ids in order are jobs in the order of their beginning.
std::string new_job_id(Time now, std::size_t chance);

/// Whether this can be such an id, or one made of it, as those of sub-agents are.
bool is_job_id(const std::string& id);

}  // namespace weft
