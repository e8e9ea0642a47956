#include "surface/api/api.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "surface/http/exchange.h"
#include "tests/support/recorded_answer.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

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
  RecordedAnswer ask(const http::Request& request, Time now = Time{1000}) {
    RecordedAnswer answer;
    calls_->answer(
        request, kScope, answer,
        [this](http::ResponseWriter& out) {
          ++worked_;
          out.send(status_, "application/json", std::to_string(worked_));
        },
        now);
    return answer;
  }
  /// As after a restart, or a kill.
  void restart(RepeatLimits limits = {}) { calls_ = std::make_unique<RepeatedCalls>(folder_.path(), limits); }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& one : std::filesystem::directory_iterator(folder_.path() / "answers"))
      count += one.path().filename() == ".lock" ? 0 : 1;
    return count;
  }

  const ScopeKey kScope{"user:ann"};
  TemporaryFolder folder_;
  std::unique_ptr<RepeatedCalls> calls_ = std::make_unique<RepeatedCalls>(folder_.path(), RepeatLimits{});
  int worked_ = 0, status_ = 200;
};

TEST_F(RepeatedCallsTest, PF_10_a_request_that_is_sent_again_is_worked_off_once) {
  EXPECT_EQ(ask(request_with("a")).body, "1");
  const auto again = ask(request_with("a"));
  EXPECT_EQ(again.body, "1");
  EXPECT_EQ(again.header_named("Idempotent-Replayed"), "true");
  EXPECT_EQ(ask(request_with("b")).body, "2");
  EXPECT_EQ(ask(request_with("a", "{\"other\":1}")).status, 422);
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
  EXPECT_EQ(ask(request_with("a"), Time{1000 + 25 * 3'600'000}).status, 200);
}

TEST_F(RepeatedCallsTest, PF_10_while_the_first_is_at_work_the_second_is_told_so) {
  std::latch at_work(1), done(1);
  std::jthread first([&] {
    RecordedAnswer answer;
    const auto work = [&](http::ResponseWriter& out) {
      at_work.count_down();
      done.wait();
      out.send(200, "application/json", "first");
    };
    calls_->answer(request_with("a"), kScope, answer, work, Time{1000});
  });
  at_work.wait();
  EXPECT_EQ(ask(request_with("a")).status, 409);
  done.count_down();
  first.join();
  EXPECT_EQ(ask(request_with("a")).body, "first");
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
  calls_->answer(
      request_with("a"), kScope, out, [](http::ResponseWriter& to) { to.send(200, "text/plain", "once"); }, Time{1000});
  EXPECT_EQ(first.body, "once");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, "once");
  EXPECT_EQ(worked_, 0);
}

TEST_F(RepeatedCallsTest, PF_10_a_call_that_broke_off_may_be_made_again) {
  RecordedAnswer broken;
  const auto breaks = [](http::ResponseWriter&) { throw std::runtime_error("broken"); };
  EXPECT_THROW(calls_->answer(request_with("a"), kScope, broken, breaks, Time{1000}), std::runtime_error);
  EXPECT_EQ(ask(request_with("a")).status, 200);
  status_ = 503;
  RecordedAnswer failed, again;
  AskingAgain out(failed, [&] {
    status_ = 200;
    again = ask(request_with("b"));
  });
  calls_->answer(
      request_with("b"), kScope, out, [](http::ResponseWriter& to) { to.send(503, "text/plain", "busy"); }, Time{1000});
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(ask(request_with("b")).body, again.body);
}

TEST_F(RepeatedCallsTest, PF_10_retries_of_many_at_once_are_worked_off_once) {
  std::atomic<int> worked = 0, odd = 0;
  const auto retry = [&] {
    for (int i = 0; i < 50; ++i) {
      const std::string key = std::to_string(i);
      RecordedAnswer answer;
      // A client that is told to ask again does.
      do {
        answer = RecordedAnswer();
        const auto work = [&](http::ResponseWriter& out) {
          ++worked;
          out.send(200, "text/plain", key);
        };
        calls_->answer(request_with(key), kScope, answer, work, Time{1000});
      } while (answer.status == 409);
      if (answer.status != 200 || answer.body != key) ++odd;
    }
  };
  {
    std::vector<std::jthread> many;
    for (int i = 0; i < 8; ++i) many.emplace_back(retry);
  }
  EXPECT_EQ(worked, 50);
  EXPECT_EQ(odd, 0);
}

TEST_F(RepeatedCallsTest, PF_10_what_was_answered_is_known_after_a_restart) {
  EXPECT_EQ(ask(request_with("a")).body, "1");
  restart();
  const auto again = ask(request_with("a"));
  EXPECT_EQ(again.body, "1");
  EXPECT_EQ(again.content_type, "application/json");
  EXPECT_EQ(again.header_named("Idempotent-Replayed"), "true");
  EXPECT_EQ(ask(request_with("a", "{\"other\":1}")).status, 422);
  EXPECT_EQ(worked_, 1);
  restart();
  EXPECT_EQ(ask(request_with("a"), Time{1000 + 25 * 3'600'000}).body, "2") << "for a day";
  const auto rights = std::filesystem::status(folder_.path() / "answers").permissions();
  EXPECT_EQ(rights, std::filesystem::perms::owner_all);
}

TEST_F(RepeatedCallsTest, PF_10_what_was_at_work_in_a_kill_is_not_done_again) {
  RecordedAnswer lost, meanwhile;
  const auto killed = [&](http::ResponseWriter&) {
    restart();  // another process, while this one never came to its end
    meanwhile = ask(request_with("a"));
    EXPECT_EQ(ask(request_with("a", "{\"other\":1}")).status, 422);
  };
  RepeatedCalls first(folder_.path(), {});
  first.answer(request_with("a"), kScope, lost, killed, Time{1000});
  EXPECT_EQ(meanwhile.status, 409);
  EXPECT_NE(meanwhile.body.find("not known"), std::string::npos);
  EXPECT_NE(meanwhile.body.find("new key"), std::string::npos);
  EXPECT_EQ(worked_, 0);
}

TEST_F(RepeatedCallsTest, PF_5_what_was_erased_is_not_told_again_and_not_done_again) {
  EXPECT_EQ(ask(request_with("a")).body, "1");
  RecordedAnswer during;
  const auto works_through_an_erasure = [&](http::ResponseWriter& out) {
    ASSERT_TRUE(AnswerFiles(folder_.path()).forget(kScope, [](std::string_view) { return false; }).ok());
    out.send(200, "text/plain", "secret");
  };
  calls_->answer(request_with("b"), kScope, during, works_through_an_erasure, Time{1000});
  EXPECT_EQ(during.body, "secret") << "who asked first has it";
  for (const char* key : {"a", "b"}) {
    const auto again = ask(request_with(key));
    EXPECT_EQ(again.status, 409);
    EXPECT_NE(again.body.find("erased"), std::string::npos);
    EXPECT_EQ(again.body.find("secret"), std::string::npos);
  }
  restart();
  EXPECT_EQ(ask(request_with("b")).status, 409);
  EXPECT_EQ(worked_, 1);
}

TEST_F(RepeatedCallsTest, PF_10_answers_are_bounded_in_number_and_size) {
  restart({.answers = 3, .bytes = 1'000'000});
  for (int i = 0; i < 10; ++i) ask(request_with(std::to_string(i)));
  EXPECT_LE(files(), 4U);
  EXPECT_EQ(ask(request_with("9")).header_named("Idempotent-Replayed"), "true");
  EXPECT_EQ(ask(request_with("0")).header_named("Idempotent-Replayed"), "");
  restart({.answers = 100, .bytes = 3000});
  for (int i = 0; i < 10; ++i) {
    RecordedAnswer answer;
    const auto work = [](http::ResponseWriter& out) { out.send(200, "text/plain", std::string(1000, 'x')); };
    calls_->answer(request_with("large" + std::to_string(i)), kScope, answer, work, Time{1000});
  }
  EXPECT_LE(files(), 5U);
}

TEST_F(RepeatedCallsTest, PF_10_where_nothing_can_be_kept_nothing_is_done) {
  std::ofstream(folder_.path() / "answers") << "a file where the folder is to be";
  EXPECT_GE(ask(request_with("a")).status, 500);
  EXPECT_EQ(worked_, 0);
}

}  // namespace
}  // namespace weft
