#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <future>
#include <thread>

#include "ports/mcp/mcp_transport.h"
#include "tests/support/few_threads.h"

namespace weft {
namespace {

TEST(ChildProcess, AL_2_writing_to_a_program_that_has_ended_is_an_error) {
  ::signal(SIGPIPE, SIG_DFL);
  std::promise<void> ended;
  const auto child = ChildProcess::start({{"sh", "-c", "exit 3"}, {}, {}}, {[](auto) {}, [&] { ended.set_value(); }});
  ASSERT_TRUE(child.ok());
  ended.get_future().wait();
  // A program that ends closes its streams one by one.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while ((*child)->write_line("hello").ok() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (int times = 0; times < 3; ++times) {
    const Status status = (*child)->write_line("is anybody there?");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  }
  struct sigaction now{};
  ::sigaction(SIGPIPE, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL) << "what the host does with signals is its own matter";
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0);
}

TEST(ChildProcess, AL_2_lines_go_in_and_come_out_one_by_one) {
  std::promise<std::string> heard;
  const auto child = ChildProcess::start({{"sh", "-c", "read one; echo \"got $one\""}, {}, {}},
                                         {[&](std::string_view line) { heard.set_value(std::string(line)); }, [] {}});
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE((*child)->write_line("喂").ok());
  EXPECT_EQ(heard.get_future().get(), "got 喂");
}

TEST(ChildProcess, PF_21_a_program_whose_lines_nobody_can_read_is_not_started) {
  for (const int given : {0, 1}) {
    FewThreads few(given);
    const auto child = ChildProcess::start({{"sh", "-c", "read one"}, {}, {}}, {[](auto) {}, [] {}});
    ASSERT_FALSE(child.ok());
    EXPECT_EQ(child.error().code, ErrorCode::kUnavailable);
  }
  std::promise<void> ended;
  const auto child = ChildProcess::start({{"sh", "-c", "true"}, {}, {}}, {[](auto) {}, [&] { ended.set_value(); }});
  ASSERT_TRUE(child.ok());
  ended.get_future().wait();
}

}  // namespace
}  // namespace weft
