#pragma once

#include <optional>

#include "surface/cli/globals.h"

namespace weft::cli {

struct DoctorOptions {
  bool repair = false;  ///< makes the index anew where it is wrong
  bool online = false;  ///< asks the servers of models, too
  /// Seconds that a lock, a model and a server are waited for, each; nothing: as long as each of them takes mostly.
  std::optional<double> patience = {};
};

/// Looks at everything that Weft stands on. The exit code says whether all is well.
int doctor(const Globals& globals, const DoctorOptions& options);

}  // namespace weft::cli
