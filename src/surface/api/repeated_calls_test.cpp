#include "surface/api/repeated_calls.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "surface/http/passing_writer.h"
#include "tests/support/recorded_answer.h"

namespace weft {
namespace {

http::Request request_with(std::string key, std::string body = "{}") {
  http::Request request;
  request.method = "POST";
  request.path = "/v1/sessions/s/messages";
  request.headers = {{"idempotency-key", std::move(key)}};
  request.body = std::move(body);
  return request;
}

class RepeatedCallsTest : public testing::Test {
 protected:
  RecordedAnswer ask(const http::Request& request, RepeatedCalls::Clock::time_point now = {}) {
    RecordedAnswer answer;
    calls_.answer(
        request, answer,
        [this](http::ResponseWriter& out) {
          ++worked_;
          out.send(status_, "application/json", std::to_string(worked_));
        },
        now);
    return answer;
  }

  RepeatedCalls calls_;
  int worked_ = 0, status_ = 200;
};

TEST_F(RepeatedCallsTest, PF_10_a_request_that_is_sent_again_is_worked_off_once) {
  EXPECT_EQ(ask(request_with("a")).body, "1");
  const auto again = ask(request_with("a"));
  EXPECT_EQ(again.body, "1");
  EXPECT_EQ(again.header_named("Idempotent-Replayed"), "true");
  EXPECT_EQ(ask(request_with("b")).body, "2");
  EXPECT_EQ(ask(request_with("a", "{\"other\":1}")).status, 409);
  EXPECT_EQ(ask(request_with(std::string(300, 'x'))).status, 400);
  EXPECT_EQ(worked_, 2);
}

TEST_F(RepeatedCallsTest, PF_10_another_caller_with_the_same_key_is_another) {
  auto of_bob = request_with("a");
  of_bob.headers.emplace_back("x-weft-user", "bob");
  auto of_key = request_with("a");
  of_key.access.name = "laptop";
  EXPECT_EQ(ask(request_with("a")).body, "1");
  EXPECT_EQ(ask(of_bob).body, "2");
  EXPECT_EQ(ask(of_key).body, "3");
  EXPECT_EQ(ask(of_bob).body, "2");
}

TEST_F(RepeatedCallsTest, PF_10_what_failed_in_the_server_is_tried_again_and_a_day_later_nothing_is_known) {
  status_ = 503;
  EXPECT_EQ(ask(request_with("a")).status, 503);
  status_ = 400;
  EXPECT_EQ(ask(request_with("a")).status, 400);
  status_ = 200;
  EXPECT_EQ(ask(request_with("a")).status, 400);
  EXPECT_EQ(ask(request_with("a"), RepeatedCalls::Clock::time_point{} + std::chrono::hours(25)).status, 200);
}

TEST_F(RepeatedCallsTest, PF_10_while_the_first_is_at_work_the_second_is_told_so) {
  std::latch at_work(1), done(1);
  std::jthread first([&] {
    RecordedAnswer answer;
    calls_.answer(request_with("a"), answer, [&](http::ResponseWriter& out) {
      at_work.count_down();
      done.wait();
      out.send(200, "application/json", "first");
    });
  });
  at_work.wait();
  EXPECT_EQ(ask(request_with("a"), RepeatedCalls::Clock::now()).status, 409);
  done.count_down();
  first.join();
  EXPECT_EQ(ask(request_with("a"), RepeatedCalls::Clock::now()).body, "first");
}

/// Asks again at the moment at which the first client gets its answer.
class AskingAgain final : public http::PassingWriter {
 public:
  AskingAgain(http::ResponseWriter& out, std::function<void()> again) : PassingWriter(out), again_(std::move(again)) {}
  void send(int status, std::string_view type, std::string_view body) override {
    again_();
    PassingWriter::send(status, type, body);
  }

 private:
  std::function<void()> again_;
};

TEST_F(RepeatedCallsTest, PF_10_who_asks_again_before_the_first_answer_is_there_gets_it_too) {
  RecordedAnswer first, again;
  AskingAgain out(first, [&] { again = ask(request_with("a")); });
  calls_.answer(request_with("a"), out, [](http::ResponseWriter& to) { to.send(200, "text/plain", "once"); }, {});
  EXPECT_EQ(first.body, "once");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, "once");
  EXPECT_EQ(worked_, 0);
}

TEST_F(RepeatedCallsTest, PF_10_a_call_that_broke_off_may_be_made_again) {
  RecordedAnswer broken;
  const auto breaks = [](http::ResponseWriter&) { throw std::runtime_error("broken"); };
  EXPECT_THROW(calls_.answer(request_with("a"), broken, breaks, {}), std::runtime_error);
  EXPECT_EQ(ask(request_with("a")).status, 200);
  status_ = 503;
  RecordedAnswer failed, again;
  AskingAgain out(failed, [&] {
    status_ = 200;
    again = ask(request_with("b"));
  });
  calls_.answer(request_with("b"), out, [](http::ResponseWriter& to) { to.send(503, "text/plain", "busy"); }, {});
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(ask(request_with("b")).body, again.body);
}

TEST_F(RepeatedCallsTest, PF_10_retries_of_many_at_once_are_worked_off_once) {
  std::atomic<int> worked = 0, odd = 0;
  const auto retry = [&] {
    for (int i = 0; i < 200; ++i) {
      const std::string key = std::to_string(i);
      RecordedAnswer answer;
      // A client that is told to ask again does.
      do {
        answer = RecordedAnswer();
        calls_.answer(request_with(key), answer, [&](http::ResponseWriter& out) {
          ++worked;
          out.send(200, "text/plain", key);
        });
      } while (answer.status == 409);
      if (answer.status != 200 || answer.body != key) ++odd;
    }
  };
  {
    std::vector<std::jthread> many;
    for (int i = 0; i < 8; ++i) many.emplace_back(retry);
  }
  EXPECT_EQ(worked, 200);
  EXPECT_EQ(odd, 0);
}

}  // namespace
}  // namespace weft
