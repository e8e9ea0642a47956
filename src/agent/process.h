#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "weft/result.h"

namespace weft {

/// A program that is run once.
struct ProcessCall {
  std::vector<std::string> command;  ///< program and arguments, without a shell
  std::filesystem::path folder;      ///< where it starts; must be there
  std::vector<std::pair<std::string, std::string>>
      environment;  ///< beside PATH, HOME, LANG, TMPDIR and TZ: nothing else
  std::string input;
  std::size_t most_bytes = 1 << 20;  ///< of its output; what comes beyond is read and dropped
  Deadline deadline;
};

struct ProcessEnd {
  std::string output;  ///< of both its streams, as it came
  int code = 0;        ///< 128 and the signal's number where one ended it
  std::size_t dropped = 0;
};

/// Runs a program in a process group of its own and waits for it; the group is killed when it ends or the deadline
/// passes. kTimeout and kCancelled then, kNotFound for a program that cannot be started.
Result<ProcessEnd> run_process(const ProcessCall& call);

}  // namespace weft
