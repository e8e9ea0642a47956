#pragma once
#include <string>
#include <vector>
#include "weft/config.h"
namespace weft {
inline Result<std::string> run_eval_recall(const Config&, const std::vector<std::string>&, const std::string&, const std::string&) { return unavailable("not there yet"); }
}  // namespace weft
