#include "surface/http/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "surface/http/guard.h"
#include "tests/support/raw_client.h"

namespace weft::http {
namespace {

using std::chrono::milliseconds;

/// A server whose handler can be exchanged.
class ServerTest : public testing::Test {
 protected:
  void start(Handler handler, ServerOptions options = {}) {
    server_ = std::make_unique<Server>(std::move(options), std::move(handler));
    const auto status = server_->start();
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  void start_echo(ServerOptions options = {}) {
    start([](const Request& r,
             ResponseWriter& out) { out.send(200, "text/plain", r.method + " " + r.path + " " + r.body); },
          std::move(options));
  }
  RawClient::Answer ask(std::string_view request) {
    RawClient client(server_->port());
    client.send(request);
    return client.read_answer();
  }

  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, answers_several_requests_on_one_connection) {
  start_echo();
  RawClient client(server_->port());
  for (int i = 0; i < 3; ++i) {
    client.send(raw_request("POST", "/a?x=1", "body" + std::to_string(i)));
    EXPECT_EQ(client.read_answer().body, "POST /a body" + std::to_string(i));
  }
}

TEST_F(ServerTest, answers_requests_sent_ahead_in_order) {
  start_echo();
  RawClient client(server_->port());
  std::string all;
  for (int i = 0; i < 200; ++i) all += raw_request("POST", "/a", std::to_string(i));
  client.send(all);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.read_answer().body, "POST /a " + std::to_string(i));
}

TEST_F(ServerTest, reads_a_body_that_comes_in_single_bytes_or_chunks) {
  start_echo();
  RawClient client(server_->port());
  for (const char c : raw_request("POST", "/slow", "abc")) client.send(std::string(1, c));
  EXPECT_EQ(client.read_answer().body, "POST /slow abc");
  client.send("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_answer().body, "POST /c abc");
}

TEST_F(ServerTest, serves_old_clients_and_head) {
  start([](const Request&, ResponseWriter& out) {
    out.begin(200, "text/plain");
    out.write("one ");
    out.write("two");
    out.end();
  });
  RawClient old(server_->port());
  old.send("GET / HTTP/1.0\r\n\r\n");
  const auto text = old.read_all();
  EXPECT_TRUE(text.ends_with("\r\n\r\none two")) << text;
  EXPECT_EQ(ask(raw_request("GET", "/")).body, "one two");
  RawClient head(server_->port());
  head.send(raw_request("HEAD", "/", {}, "Connection: close\r\n"));
  EXPECT_TRUE(head.read_all().ends_with("\r\n\r\n"));
}

TEST_F(ServerTest, asks_for_the_body_when_the_client_waits_for_that) {
  start_echo();
  RawClient client(server_->port());
  client.send("POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  EXPECT_EQ(client.read_answer().body, "POST /e ok");
}

TEST_F(ServerTest, refuses_large_bodies_and_the_client_can_read_why) {
  start_echo({.max_body_bytes = 1000});
  EXPECT_EQ(ask(raw_request("POST", "/", std::string(1000, 'x'))).status, 200);
  const auto refused = ask(raw_request("POST", "/", std::string(8'000'000, 'x')));
  EXPECT_EQ(refused.status, 413);
  EXPECT_NE(refused.body.find(R"("code":"too_large")"), std::string::npos);
  // The same without a length given beforehand.
  RawClient chunked(server_->port());
  chunked.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" +
               std::string(2000, 'x'));
  const auto answer = chunked.read_answer();
  EXPECT_EQ(answer.status, 413);
  EXPECT_NE(answer.body.find(R"("type":"invalid_request_error")"), std::string::npos);
}

TEST_F(ServerTest, refuses_large_headers_and_what_is_not_http) {
  start_echo({.max_header_bytes = 4096});
  EXPECT_EQ(ask(raw_request("GET", "/", {}, "X-Long: " + std::string(10000, 'x') + "\r\n")).status, 431);
  EXPECT_EQ(ask("\x16\x03\x01 hello there\r\n\r\n").status, 400);
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n").status, 400);
}

TEST_F(ServerTest, drops_clients_that_send_nothing) {
  start_echo({.read_timeout = milliseconds(50)});
  RawClient silent(server_->port());
  EXPECT_EQ(silent.read_all(), "");
  RawClient half(server_->port());
  half.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(half.read_all(), "");
}

TEST_F(ServerTest, a_slow_client_slows_the_handler_down) {
  std::atomic<std::size_t> written = 0;
  start(
      [&](const Request&, ResponseWriter& out) {
        out.begin(200, "text/plain");
        const std::string block(64 * 1024, 'x');
        for (int i = 0; i < 1000 && out.write(block); ++i) written += block.size();
        out.end();
      },
      {.max_unsent_bytes = 128 * 1024});
  RawClient client(server_->port());
  client.send(raw_request("GET", "/"));
  client.read_until("\r\n\r\n");
  // Nobody reads: what fits into the buffers of both sides is taken, and then no more.
  std::size_t before = 1;
  while (before != written) {
    before = written;
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_LT(written, 60'000'000U);
  std::size_t body = 0;
  for (std::string line; !(line = client.read_until("\r\n")).empty();) {
    const auto size = std::strtoul(line.c_str(), nullptr, 16);
    if (size == 0) break;
    client.read_until("\r\n");
    body += size;
  }
  EXPECT_EQ(body, 1000U * 64 * 1024);
}

TEST_F(ServerTest, a_client_that_takes_nothing_is_dropped) {
  std::promise<bool> ended;
  start(
      [&](const Request&, ResponseWriter& out) {
        out.begin(200, "text/plain");
        const std::string block(64 * 1024, 'x');
        while (out.write(block)) {
        }
        ended.set_value(out.client_gone());
      },
      {.write_timeout = milliseconds(100)});
  RawClient client(server_->port());
  client.send(raw_request("GET", "/"));
  EXPECT_TRUE(ended.get_future().get());
}

TEST_F(ServerTest, the_handler_learns_at_once_that_the_client_has_left) {
  std::promise<void> entered, left;
  start([&](const Request&, ResponseWriter& out) {
    const std::stop_callback on_stop(out.cancel(), [&] { left.set_value(); });
    entered.set_value();
    left.get_future().wait();
  });
  RawClient client(server_->port());
  client.send(raw_request("GET", "/"));
  entered.get_future().wait();
  client.close();
  server_->stop(milliseconds(10000));  // returns because the handler does
}

TEST_F(ServerTest, a_handler_that_fails_is_a_500_and_one_that_stops_halfway_a_broken_answer) {
  start([&](const Request& r, ResponseWriter& out) {
    if (r.path == "/throw") throw std::runtime_error("secret detail");
    if (r.path == "/half") {
      out.begin(200, "text/plain");
      out.write("half");
    }
  });
  const auto thrown = ask(raw_request("GET", "/throw"));
  EXPECT_EQ(thrown.status, 500);
  EXPECT_EQ(thrown.body.find("secret"), std::string::npos);
  EXPECT_EQ(ask(raw_request("GET", "/nothing")).status, 500);
  RawClient client(server_->port());
  client.send(raw_request("GET", "/half"));
  EXPECT_FALSE(client.read_all().ends_with("0\r\n\r\n"));
}

TEST_F(ServerTest, headers_cannot_be_split) {
  start([&](const Request&, ResponseWriter& out) {
    out.header("X-Good", "yes");
    out.header("X-Bad", "a\r\nX-Injected: b");
    out.header("X Bad", "a");
    out.send(200, "text/plain", "");
  });
  const auto head = ask(raw_request("GET", "/")).head;
  EXPECT_NE(head.find("X-Good: yes\r\n"), std::string::npos);
  EXPECT_EQ(head.find("Bad"), std::string::npos);
}

TEST_F(ServerTest, lets_requests_at_work_finish_when_it_stops) {
  std::promise<void> entered, go;
  start([&](const Request&, ResponseWriter& out) {
    entered.set_value();
    go.get_future().wait();
    out.send(200, "text/plain", out.client_gone() ? "gone" : "done");
  });
  RawClient idle(server_->port()), busy(server_->port());
  busy.send(raw_request("GET", "/"));
  entered.get_future().wait();
  std::thread stopping([&] { server_->stop(std::chrono::seconds(30)); });
  EXPECT_EQ(idle.read_all(), "");  // an idle connection ends at once
  go.set_value();
  EXPECT_EQ(busy.read_answer().body, "done");
  EXPECT_EQ(busy.read_all(), "");
  stopping.join();
  RawClient late(server_->port());
  EXPECT_FALSE(late.send(raw_request("GET", "/")) && !late.read_all().empty());
}

TEST_F(ServerTest, cancels_what_does_not_finish_in_time_when_it_stops) {
  std::promise<void> entered, left;
  start([&](const Request&, ResponseWriter& out) {
    const std::stop_callback on_stop(out.cancel(), [&] { left.set_value(); });
    entered.set_value();
    left.get_future().wait();
  });
  RawClient client(server_->port());
  client.send(raw_request("GET", "/"));
  entered.get_future().wait();
  server_->stop(milliseconds(10));
}

TEST_F(ServerTest, two_hundred_streams_at_once_on_two_workers) {
  constexpr int kStreams = 200;
  std::latch all_open(kStreams);
  start(
      [&](const Request&, ResponseWriter& out) {
        out.begin(200, "text/plain");
        out.write("a");
        out.while_waiting([&] { all_open.arrive_and_wait(); });
        out.write("b");
        out.end();
      },
      {.workers = 2});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<RawClient>(server_->port()));
    clients.back()->send(raw_request("GET", "/"));
  }
  for (auto& client : clients) EXPECT_EQ(client->read_answer().body, "ab");
}

TEST_F(ServerTest, connections_above_the_limit_wait) {
  start_echo({.max_connections = 2});
  auto first = std::make_unique<RawClient>(server_->port());
  RawClient second(server_->port()), third(server_->port());
  first->send(raw_request("GET", "/1"));
  second.send(raw_request("GET", "/2"));
  EXPECT_EQ(first->read_answer().body, "GET /1 ");
  EXPECT_EQ(second.read_answer().body, "GET /2 ");
  third.send(raw_request("GET", "/3"));
  EXPECT_LE(server_->connections(), 2U);
  first.reset();
  EXPECT_EQ(third.read_answer().body, "GET /3 ");
}

TEST_F(ServerTest, refuses_before_the_body_is_read) {
  ServerOptions options;
  options.admit = [guard = std::make_shared<Guard>(GuardRules{.api_key = "k"})](Request& head) {
    return guard->admit(head);
  };
  start_echo(std::move(options));
  const auto refused = ask("POST /v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(ask(raw_request("GET", "/", {}, "Authorization: Bearer k\r\n")).status, 200);
}

TEST(Server, says_why_it_cannot_listen) {
  Server first({}, [](const Request&, ResponseWriter&) {});
  ASSERT_TRUE(first.start().ok());
  Server second({.port = first.port()}, [](const Request&, ResponseWriter&) {});
  const auto status = second.start();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  Server nowhere({.host = "no such host"}, [](const Request&, ResponseWriter&) {});
  EXPECT_FALSE(nowhere.start().ok());
}

}  // namespace
}  // namespace weft::http
