#pragma once

/// All of Weft's public interface.
#include "weft/engine.h"  // IWYU pragma: export
#include "weft/tool_parameters.h"  // IWYU pragma: export
