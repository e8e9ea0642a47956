#include "engine/background.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace weft
