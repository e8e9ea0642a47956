#pragma once

#include "engine/engine_impl.h"
#include "surface/doctor/finding.h"

/// What runs, or could be opened: models in memory, the queue, the index against the rows.
namespace weft::doctor {

/// The models: whether they are loaded and give vectors. Waits for nothing.
void look_at_models(Engine& engine, Report& report);

/// The health of the engine, as `/healthz` tells it, without what was looked at otherwise.
void look_at_health(const EngineStatus& status, Report& report);

/// The index, shelf by shelf; with `mend` what is wrong in it is made anew.
void look_at_index(EngineImpl& engine, bool mend, Report& report);

}  // namespace weft::doctor
