#include "surface/http/open_files.h"

#include <sys/resource.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"

namespace weft {
namespace {

// A connection may have one to the model's server behind it; the rest is for the store, its indexes and the queue.
constexpr rlim_t kOfEach = 2, kOthers = 512;

}  // namespace

void allow_open_files(std::size_t connections) {
  const rlim_t wanted = static_cast<rlim_t>(connections) * kOfEach + kOthers;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted) return;
  log_warning("serve",
              fmt::format("{} connections may need {} open files and the system allows {}: raise `ulimit -n`, or "
                          "lower server.max_connections",
                          connections, wanted, static_cast<rlim_t>(limit.rlim_max)));
}

}  // namespace weft
