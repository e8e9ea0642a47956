#include "engine/background.h"

#include <gtest/gtest.h>

#ifdef __linux__
#include <sys/resource.h>

#include <future>
#endif

namespace weft {
namespace {

TEST(Waker, PF_23_wakes_every_thread_that_sleeps_by_it_and_those_that_come_later) {
  Waker waker;
  waker.wake();
  std::uint64_t first = 0, second = 0;
  waker.sleep({}, std::nullopt, first);
  waker.sleep({}, std::nullopt, second);
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(second, 1U);
  waker.wake();
  waker.wake();
  waker.sleep({}, std::nullopt, first);
  EXPECT_EQ(first, 3U) << "both wakings are one";
}

TEST(Waker, PF_23_lets_a_thread_end_that_is_to_stop) {
  Waker waker;
  std::stop_source stop;
  stop.request_stop();
  std::uint64_t seen = 0;
  waker.sleep(stop.get_token(), std::nullopt, seen);
  EXPECT_EQ(seen, 0U);
}

#ifdef __linux__
// The priority of the thread of a Background; the higher the number, the more it gives way.
int priority_of(Background::Waits waits) {
  std::promise<int> found;
  bool told = false;
  Waker waker;
  Background thread(
      "test", waker,
      [&](std::stop_token) -> std::optional<std::chrono::milliseconds> {
        if (!std::exchange(told, true)) found.set_value(getpriority(PRIO_PROCESS, 0));
        return std::nullopt;
      },
      waits);
  thread.start();
  return found.get_future().get();
}

TEST(Background, PF_23_gives_way_to_calls_unless_a_call_waits_for_it) {
  const int own = getpriority(PRIO_PROCESS, 0);
  constexpr int kLowest = 19;
  EXPECT_EQ(priority_of(Background::Waits::kCall), own);
  if (own == kLowest) GTEST_SKIP() << "these tests run at the lowest priority";
  EXPECT_GT(priority_of(Background::Waits::kNobody), own);
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), own) << "only that thread gives way";
}
#endif

}  // namespace
}  // namespace weft
