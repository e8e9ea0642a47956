#pragma once

#include <string>

#include "weft/config.h"

namespace weft {

/// The file of the local embedder that is configured: in the model folder, else among what was installed with the
/// program; where it is in neither, where the model folder would have it.
std::string embedder_file(const Config& config);

/// What to do where it is missing, as a sentence without its stop: an installed program has no Makefile.
std::string embedder_advice();

}  // namespace weft
