#pragma once

#include "text/value.h"

namespace weft {

/// What time it is in a story, where its state says so: a member of the state, or of its scene, world or setting, that
/// is called time, date, hour, day, clock or calendar (in either language). Null where it does not; else the value as
/// it is written, borrowed from the state.
const Value* story_time(const Value& root);

}  // namespace weft
