#include "base/idle_cores.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

namespace weft {

std::int64_t idle_cores() {
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  // "0.20 0.18 0.12 1/80 11206": the threads that run or could, of all.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/loadavg", "re"), &std::fclose);
  long long running = 0;
  if (!file || std::fscanf(file.get(), "%*s %*s %*s %lld/", &running) != 1 || running < 1) return cores;
  return std::max<std::int64_t>(0, cores - (static_cast<std::int64_t>(running) - 1));
}

}  // namespace weft
