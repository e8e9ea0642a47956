#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ports/net/http_client.h"
#include "tests/support/scripted_upstream.h"

namespace weft {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

HttpRequest post(const std::string& url, std::string body = "{}") {
  HttpRequest request;
  request.url = url;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = std::move(body);
  return request;
}

TEST(HttpClient, sends_and_receives_bodies_and_headers_whole) {
  ScriptedUpstream upstream;
  const std::string large(3000000, 'x');
  upstream.then(ScriptedAnswer::json(large).with("X-Kind", " wide "));
  const auto client = make_http_client();
  HttpRequest request = post(upstream.url() + "/a?b=c", large + "蛇");
  request.headers.emplace_back("Authorization", "Bearer k");
  request.headers.emplace_back("X-Empty", "");
  const auto response = client->send(request, Deadline::after(seconds(20)));
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, large);
  EXPECT_NE(std::find(response->headers.begin(), response->headers.end(),
                      std::pair<std::string, std::string>("x-kind", "wide")),
            response->headers.end());
  const auto seen = upstream.requests();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].method, "POST");
  EXPECT_EQ(seen[0].path, "/v1/a?b=c");
  EXPECT_EQ(seen[0].header("authorization"), "Bearer k");
  EXPECT_EQ(seen[0].body, large + "蛇");
}

TEST(HttpClient, other_methods_and_any_status_are_answers) {
  ScriptedUpstream upstream;
  upstream.always([](const SeenRequest& request) { return ScriptedAnswer::json(request.method, 418); });
  const auto client = make_http_client();
  for (const std::string method : {"GET", "DELETE", "PUT", "PATCH"}) {
    HttpRequest request = post(upstream.url(), method == "PUT" ? "body" : "");
    request.method = method;
    const auto response = client->send(request, {});
    ASSERT_TRUE(response.ok()) << method << ": " << response.error().message;
    EXPECT_EQ(response->status, 418);
    EXPECT_EQ(response->body, method);
  }
  EXPECT_EQ(upstream.connections(), 1) << "the connection is kept";
}

TEST(HttpClient, streams_in_order_while_the_answer_grows) {
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::sse({"a", "b", "c"}, false, milliseconds(20)));
  const auto client = make_http_client();
  std::string bytes;
  int heads = 0, calls = 0;
  const HttpSink sink{[&](const HttpResponse& head) { return ++heads == 1 && head.status == 200; },
                      [&](std::string_view part) {
                        ++calls;
                        bytes += part;
                        return true;
                      }};
  const auto response = client->stream(post(upstream.url()), {}, sink);
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(bytes, "data: a\n\ndata: b\n\ndata: c\n\n");
  EXPECT_EQ(heads, 1);
  EXPECT_GT(calls, 1);
  EXPECT_TRUE(response->body.empty());
}

TEST(HttpClient, failures_have_their_kinds) {
  const auto client = make_http_client();
  std::string dead;
  {
    const ScriptedUpstream gone;
    dead = gone.url();
  }
  EXPECT_EQ(client->send(post(dead), {}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(client->send(post("http://no-such-host.invalid/v1"), {}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(client->send(post("file:///etc/hosts"), {}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(client->send(post("no url at all"), {}).error().code, ErrorCode::kInvalidArgument);
  ScriptedUpstream upstream;
  upstream.then(ScriptedAnswer::half("{\"a\":")).then(ScriptedAnswer::closing());
  const auto half = client->send(post(upstream.url()), {});
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(half.error().message.find("half-way"), std::string::npos) << half.error().message;
  EXPECT_EQ(client->send(post(upstream.url()), {}).error().code, ErrorCode::kUnavailable);
}

TEST(HttpClient, messages_show_no_password_of_the_url) {
  const auto failed = make_http_client()->send(post("http://me:secret@no-such-host.invalid/v1?key=secret"), {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message.find("secret"), std::string::npos) << failed.error().message;
}

TEST(HttpClient, a_header_of_two_lines_is_refused) {
  HttpRequest request = post("http://127.0.0.1:1/");
  request.headers.emplace_back("X-User", "a\r\nX-Admin: yes");
  const auto refused = make_http_client()->send(request, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

TEST(HttpClient, a_hanging_server_ends_with_the_deadline_or_the_idle_limit) {
  ScriptedUpstream upstream;
  upstream.always(ScriptedAnswer::hanging());
  const auto client = make_http_client();
  EXPECT_EQ(client->send(post(upstream.url()), Deadline::after(milliseconds(50))).error().code, ErrorCode::kTimeout);
  HttpRequest impatient = post(upstream.url());
  impatient.idle_timeout = milliseconds(50);
  EXPECT_EQ(client->send(impatient, {}).error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(upstream.wait_for_disconnects(2));
}

TEST(HttpClient, cancelling_ends_a_call_on_which_nothing_arrives) {
  ScriptedUpstream upstream;
  upstream.always(ScriptedAnswer::hanging());
  const auto client = make_http_client();
  std::stop_source stop;
  std::jthread canceller([&] {
    upstream.wait_for_requests(1);
    stop.request_stop();
  });
  const auto response = client->send(post(upstream.url()), Deadline(std::nullopt, stop.get_token()));
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(client->send(post(upstream.url()), Deadline(std::nullopt, stop.get_token())).error().code,
            ErrorCode::kCancelled);
  EXPECT_EQ(upstream.requests().size(), 1U) << "a call that is cancelled before it starts sends nothing";
}

TEST(HttpClient, a_sink_that_has_enough_ends_the_call) {
  ScriptedUpstream upstream;
  ScriptedAnswer endless = ScriptedAnswer::sse({"a"}, false);
  endless.hang = true;
  upstream.always(endless);
  const auto client = make_http_client();
  const HttpSink sink{{}, [](std::string_view) { return false; }};
  EXPECT_EQ(client->stream(post(upstream.url()), {}, sink).error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(upstream.wait_for_disconnects(1));
}

TEST(HttpClient, PF_21_what_a_sink_throws_comes_to_the_caller_and_the_next_call_works) {
  ScriptedUpstream upstream;
  upstream.always(ScriptedAnswer::json("{}"));
  const auto client = make_http_client();
  const HttpSink at_head{[](const HttpResponse&) -> bool { throw std::bad_alloc(); }, {}};
  const HttpSink at_body{{}, [](std::string_view) -> bool { throw std::runtime_error("a defect"); }};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW((void)client->stream(post(upstream.url()), Deadline::after(seconds(20)), at_head), std::bad_alloc);
    EXPECT_THROW((void)client->stream(post(upstream.url()), Deadline::after(seconds(20)), at_body), std::runtime_error);
    const auto response = client->send(post(upstream.url()), Deadline::after(seconds(20)));
    ASSERT_TRUE(response.ok()) << response.error().message;
  }
}

TEST(HttpClient, many_callers_at_once_get_their_own_answers) {
  ScriptedUpstream upstream;
  upstream.always([](const SeenRequest& request) { return ScriptedAnswer::json(request.body); });
  const auto client = make_http_client();
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&, caller] {
        for (int i = 0; i < 25; ++i) {
          const std::string body = std::to_string(caller * 1000 + i);
          const auto response = client->send(post(upstream.url(), body), Deadline::after(seconds(20)));
          if (!response.ok() || response->body != body) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(upstream.connections(), 8);
}

TEST(HttpClient, a_proxy_of_the_environment_is_not_asked_for_this_machine) {
  ScriptedUpstream upstream;
  upstream.always(ScriptedAnswer::json("direct"));
  ::setenv("http_proxy", "http://127.0.0.1:9", 1);
  const auto response = make_http_client()->send(post(upstream.url()), {});
  ::unsetenv("http_proxy");
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->body, "direct");
}

}  // namespace

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

std::vector<SseEvent> read_in_chunks(std::string_view stream, std::size_t chunk) {
  std::vector<SseEvent> events;
  SseReader reader;
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    EXPECT_TRUE(reader.feed(stream.substr(at, chunk), [&](const SseEvent& event) { events.push_back(event); }));
  }
  return events;
}

TEST(Sse, any_line_end_and_any_cut_give_the_same_events) {
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    const std::string stream =
        "\xEF\xBB\xBF"
        ": hello" +
        end + "data: 蛇" + end + "data:b" + end + end + "event: done" + end + "id: 7" + end + "data" + end + end +
        "event: lost" + end + end + "data: x" + end + end + "data: cut";
    for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
      const std::vector<SseEvent> events = read_in_chunks(stream, chunk);
      ASSERT_EQ(events.size(), 3U) << "chunk " << chunk;
      EXPECT_EQ(events[0].type, "message");
      EXPECT_EQ(events[0].data, "蛇\nb");
      EXPECT_EQ(events[1].type, "done");
      EXPECT_EQ(events[1].data, "");
      EXPECT_EQ(events[1].id, "7");
      EXPECT_EQ(events[2].type, "message") << "a type without data must not leak into the next event";
      EXPECT_EQ(events[2].id, "7");
    }
  }
}

TEST(Sse, an_event_past_the_limit_ends_the_stream) {
  SseReader reader(100);
  const auto ignore = [](const SseEvent&) {};
  EXPECT_TRUE(reader.feed("data: " + std::string(80, 'a') + "\n", ignore));
  EXPECT_FALSE(reader.feed("data: " + std::string(80, 'b') + "\n", ignore));
  EXPECT_FALSE(reader.feed("\n\n", ignore));
}

TEST(Sse, many_events_smaller_than_the_limit_pass) {
  SseReader reader(100);
  int count = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(reader.feed("data: " + std::string(60, 'a') + "\n\n", [&](const SseEvent&) { ++count; }));
  }
  EXPECT_EQ(count, 1000);
}

}  // namespace
}  // namespace weft
