#include "base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace weft {
namespace {

TEST(IdleCores, threads_at_work_leave_none) {
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  EXPECT_LE(idle_cores(), cores);
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (std::int64_t i = 0; i < 2 * cores; ++i)
    busy.emplace_back([&] {
      while (!stop) {
      }
    });
  // Some of them may just have been put to sleep, never most.
  std::int64_t least = cores;
  for (int i = 0; i < 200 && least > 0; ++i) {
    least = std::min(least, idle_cores());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  stop = true;
  for (std::thread& one : busy) one.join();
  EXPECT_EQ(least, 0);
}

}  // namespace
}  // namespace weft
