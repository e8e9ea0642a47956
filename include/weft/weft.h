#pragma once

/// All of Weft's public interface.
#include "weft/engine.h"
#include "weft/tool_parameters.h"
