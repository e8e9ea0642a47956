#pragma once

#include <string>
#include <string_view>

#include "surface/http/traffic.h"

namespace weft::http {

/// Writes a line of the log on a request that is over: which, by whom, what became of it. It holds the pattern of the
/// path and the key's name, never the path itself, the query, a key, or anything that was said. At the level "info";
/// "warning" where the server has failed, which
/// is not so where it is only full: who asks again and again would fill the log.
void log_access(std::string_view key, const RequestEnd& request, std::string_view upstream_request = {});

}  // namespace weft::http
