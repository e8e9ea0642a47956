#include "ports/net/retry.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/scripted_upstream.h"

namespace weft {
namespace {

using std::chrono::milliseconds;

// A policy that does not sleep but notes what it would have slept.
struct Waits {
  std::vector<milliseconds::rep> slept;
  RetryPolicy policy;

  explicit Waits(std::int64_t retries) {
    policy.retries = retries;
    policy.random = [] { return 1.0; };
    policy.sleep = [this](milliseconds time, const Deadline&) { slept.push_back(time.count()); };
  }
};

HttpRequest to(const std::string& url) {
  HttpRequest request;
  request.url = url;
  return request;
}

TEST(Retry, repeats_what_may_work_later_and_doubles_the_wait) {
  for (const int status : {429, 500, 502, 503, 504}) {
    ScriptedUpstream upstream;
    upstream.then(ScriptedAnswer::closing()).then(ScriptedAnswer::json("no", status)).then(ScriptedAnswer::json("yes"));
    Waits waits(2);
    int attempts = 0;
    const auto response = send_with_retry(*make_http_client(), to(upstream.url()), {}, waits.policy, &attempts);
    ASSERT_TRUE(response.ok()) << response.error().message;
    EXPECT_EQ(response->body, "yes");
    EXPECT_EQ(attempts, 3);
    EXPECT_EQ(waits.slept, (std::vector<milliseconds::rep>{500, 1000}));
  }
}

TEST(Retry, passes_other_answers_on_at_once) {
  for (const int status : {200, 302, 400, 401, 404, 501}) {
    ScriptedUpstream upstream;
    upstream.always(ScriptedAnswer::json("x", status));
    Waits waits(3);
    EXPECT_EQ(send_with_retry(*make_http_client(), to(upstream.url()), {}, waits.policy)->status, status);
    EXPECT_EQ(upstream.requests().size(), 1U);
  }
}

TEST(Retry, the_last_answer_is_given_when_attempts_run_out) {
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::json("a", 500)).then(ScriptedAnswer::json("b", 503));
  Waits waits(1);
  const auto response = send_with_retry(*make_http_client(), to(upstream.url()), {}, waits.policy);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(response->body, "b");
}

TEST(Retry, the_servers_own_wish_is_honoured_within_reason) {
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::json("", 429).with("Retry-After", "7")).then(ScriptedAnswer::json("yes"));
  Waits waits(2);
  EXPECT_EQ(send_with_retry(*make_http_client(), to(upstream.url()), {}, waits.policy)->status, 200);
  EXPECT_EQ(waits.slept, std::vector<milliseconds::rep>{7000});

  upstream.then(ScriptedAnswer::json("", 429).with("Retry-After", "86400"));
  EXPECT_EQ(send_with_retry(*make_http_client(), to(upstream.url()), {}, waits.policy)->status, 429);
  EXPECT_EQ(waits.slept.size(), 1U);

  upstream.then(ScriptedAnswer::json("", 503).with("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"))
      .then(ScriptedAnswer::json("yes"));
  EXPECT_EQ(send_with_retry(*make_http_client(), to(upstream.url()), {}, waits.policy)->status, 200);
  EXPECT_EQ(waits.slept.back(), 500) << "a date that has passed leaves the usual wait";
}

TEST(Retry, does_not_wait_past_the_deadline) {
  ScriptedUpstream upstream;
  upstream.always(ScriptedAnswer::json("", 429).with("Retry-After", "50"));
  Waits waits(5);
  const auto response =
      send_with_retry(*make_http_client(), to(upstream.url()), Deadline::after(std::chrono::seconds(20)), waits.policy);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 429);
  EXPECT_TRUE(waits.slept.empty());
}

TEST(Retry, a_cancelled_wait_ends_at_once) {
  std::stop_source stop;
  stop.request_stop();
  sleep_for(std::chrono::hours(1), Deadline(std::nullopt, stop.get_token()));
}

TEST(Retry, nothing_is_repeated_after_bytes_were_streamed) {
  ScriptedUpstream upstream;
  ScriptedAnswer broken = ScriptedAnswer::sse({"a"}, false);
  broken.cut = true;
  upstream.then(ScriptedAnswer::json("busy", 503)).then(broken).then(ScriptedAnswer::sse({"b"}));
  Waits waits(5);
  std::string bytes;
  const HttpSink sink{{}, [&](std::string_view part) {
                        bytes += part;
                        return true;
                      }};
  const auto response = stream_with_retry(*make_http_client(), to(upstream.url()), {}, waits.policy, sink);
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(bytes, "data: a\n\n");
  EXPECT_EQ(upstream.requests().size(), 2U);
}

TEST(Retry, an_error_body_is_returned_and_not_streamed) {
  ScriptedUpstream upstream;
  upstream.always(ScriptedAnswer::json("what was wrong", 400));
  const HttpSink sink{[](const HttpResponse&) { return ADD_FAILURE(), true; },
                      [](std::string_view) { return ADD_FAILURE(), true; }};
  const auto response = stream_with_retry(*make_http_client(), to(upstream.url()), {}, Waits(1).policy, sink);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 400);
  EXPECT_EQ(response->body, "what was wrong");
}

TEST(Retry, waits_are_spread_and_bounded) {
  RetryPolicy policy;
  policy.random = [] { return 0.0; };
  EXPECT_EQ(backoff(policy, 1), milliseconds(250));
  policy.random = [] { return 0.5; };
  EXPECT_EQ(backoff(policy, 2), milliseconds(750));
  EXPECT_EQ(backoff(policy, 60), milliseconds(15000));
}

}  // namespace
}  // namespace weft
