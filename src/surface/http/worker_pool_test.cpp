#include "surface/http/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "tests/support/few_threads.h"

namespace weft::http {
namespace {

TEST(WorkerPool, runs_everything_before_it_ends) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool(2, 4);
    for (int i = 0; i < 1000; ++i) pool.submit([&] { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

TEST(WorkerPool, never_has_more_at_work_than_allowed) {
  std::atomic<int> at_work = 0, most = 0;
  {
    WorkerPool pool(3, 100);
    for (int i = 0; i < 300; ++i) {
      pool.submit([&] {
        const int now = ++at_work;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --at_work;
      });
    }
  }
  EXPECT_LE(most, 3);
}

TEST(WorkerPool, those_that_wait_give_up_their_place) {
  // Before the pool, so that they outlive its threads.
  std::latch all_wait(50);
  std::promise<void> go, other;
  const auto signal = go.get_future().share();
  WorkerPool pool(1, 100);
  for (int i = 0; i < 50; ++i) {
    pool.submit([&] {
      pool.while_waiting([&] {
        all_wait.count_down();
        signal.wait();
      });
    });
  }
  all_wait.wait();  // with one place only, all fifty are waiting at the same time
  pool.submit([&] { other.set_value(); });
  other.get_future().wait();
  EXPECT_GE(pool.threads(), 51U);
  go.set_value();
}

TEST(WorkerPool, PF_10_callers_take_turns_and_what_is_urgent_has_a_place_of_its_own) {
  std::promise<void> go, urgent;
  std::vector<std::string> order;
  std::mutex mutex;
  {
    WorkerPool pool(1, 4);
    std::promise<void> begun;
    pool.submit([&] {
      begun.set_value();
      go.get_future().wait();
    });
    begun.get_future().wait();
    const auto note = [&](const char* who) {
      return [&, who] {
        const std::lock_guard lock(mutex);
        order.emplace_back(who);
      };
    };
    for (int i = 0; i < 3; ++i) pool.submit(note("greedy"), {.caller = "greedy"});
    pool.submit(note("other"), {.caller = "other"});
    pool.submit([&] { urgent.set_value(); }, {.urgent = true});
    urgent.get_future().wait();  // though the only ordinary place is taken
    go.set_value();
  }
  EXPECT_EQ(order, (std::vector<std::string>{"greedy", "other", "greedy", "greedy"}));
}

TEST(WorkerPool, has_a_limit_to_all_its_threads) {
  std::atomic<int> done = 0;
  std::size_t threads = 0;
  {
    std::promise<void> go;
    const auto signal = go.get_future().share();
    std::latch full(5);
    WorkerPool pool(1, 5);
    for (int i = 0; i < 20; ++i) {
      pool.submit([&, i] {
        pool.while_waiting([&] {
          if (i < 5) full.count_down();
          signal.wait();
        });
        ++done;
      });
    }
    full.wait();
    threads = pool.threads();
    go.set_value();
  }
  EXPECT_EQ(threads, 5U);
  EXPECT_EQ(done, 20);
}

TEST(WorkerPool, threads_that_nobody_needs_leave_but_for_two) {
  WorkerPool pool(4, 4, std::chrono::milliseconds(1));
  std::latch started(4);
  for (int i = 0; i < 4; ++i) pool.submit([&] { started.arrive_and_wait(); });
  started.wait();
  while (pool.threads() > 2) std::this_thread::yield();
  std::promise<void> again;
  pool.submit([&] { again.set_value(); });
  again.get_future().wait();
}

// The kinds of a limit on threads: none from the start, none but the first, some, and one that is lifted later.
TEST(WorkerPool, PF_21_where_the_system_gives_no_thread_the_others_do_the_work) {
  for (const int given : {0, 1, 2, 3, 5}) {
    FewThreads few(given);
    std::atomic<int> done = 0;
    {
      WorkerPool pool(8, 100);
      for (int i = 0; i < 50; ++i)
        pool.submit([&] { pool.while_waiting([&] { ++done; }); }, {.caller = std::to_string(i % 3)});
      EXPECT_LE(pool.threads(), static_cast<std::size_t>(given));
    }
    EXPECT_EQ(done, 50) << given;
    EXPECT_TRUE(few.refused() > 0 || given > 1);
  }
}

TEST(WorkerPool, PF_21_without_further_threads_what_is_urgent_is_still_done_at_once) {
  std::promise<void> go, waits;
  std::atomic<int> done = 0;
  {
    FewThreads few(2);
    WorkerPool pool(8, 100);
    pool.submit([&] {
      pool.while_waiting([&] {
        waits.set_value();
        go.get_future().wait();
      });
    });
    waits.get_future().wait();
    for (int i = 0; i < 10; ++i) pool.submit([&] { ++done; });  // no thread can be made for them
    for (int i = 0; i < 3; ++i) {
      std::promise<void> urgent;
      pool.submit([&] { urgent.set_value(); }, {.urgent = true});
      urgent.get_future().wait();
    }
    EXPECT_EQ(done, 0);
    go.set_value();
  }
  EXPECT_EQ(done, 10);
}

TEST(WorkerPool, PF_21_threads_that_the_system_gives_again_are_taken) {
  FewThreads few(2);
  std::latch all(6);
  WorkerPool pool(6, 100);
  for (int i = 0; i < 5; ++i) pool.submit([&] { all.arrive_and_wait(); });
  few.allow(100);
  pool.submit([&] { all.arrive_and_wait(); });
  pool.submit([] {});
  pool.submit([] {});
  pool.submit([] {});
  all.wait();
}

TEST(WorkerPool, PF_21_a_task_that_throws_ends_no_thread) {
  std::atomic<int> done = 0;
  {
    WorkerPool pool(1, 2);
    for (int i = 0; i < 10; ++i)
      pool.submit([&] {
        ++done;
        throw std::bad_alloc();
      });
  }
  EXPECT_EQ(done, 10);
}

}  // namespace
}  // namespace weft::http
