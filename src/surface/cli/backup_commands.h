#pragma once

#include <string>

#include "surface/cli/globals.h"

namespace weft::cli {

/// Writes the whole workspace to one file, without what opens doors.
int export_archive(const Globals& globals, const std::string& file);

}  // namespace weft::cli
