#pragma once

/// All of Weft's public interface.
#include "weft/engine.h"  // IWYU pragma: export
