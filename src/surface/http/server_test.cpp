#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "surface/http/guard.h"
#include "surface/http/server.h"
#include "tests/support/few_threads.h"
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
  start_echo({.header_timeout = milliseconds(50), .read_timeout = milliseconds(50), .keep_alive = milliseconds(50)});
  RawClient silent(server_->port());
  EXPECT_EQ(silent.read_all(), "");
  RawClient half(server_->port());
  half.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(half.read_all(), "");
  RawClient head(server_->port());
  head.send("POST / HTTP/1.1\r\nHost:");
  EXPECT_EQ(head.read_all(), "");
  RawClient idle(server_->port());
  idle.send(raw_request("GET", "/"));
  EXPECT_EQ(idle.read_answer().status, 200);
  EXPECT_EQ(idle.read_all(), "");
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

/// Handlers of "/hold" wait until the test ends, those of "/listen" stay open.
class CrowdTest : public ServerTest {
 protected:
  ~CrowdTest() override {
    go_.set_value();
    server_.reset();
  }
  void start_crowd(ServerOptions options) {
    options.admit = [](Request& head) -> std::optional<Refusal> {
      head.caller = head.access.name = std::string(head.header("x-key"));
      head.access.right = head.caller == "carer" ? Right::kAdmin : Right::kWrite;
      head.vital = head.path == "/health";
      return std::nullopt;
    };
    start(
        [this](const Request& r, ResponseWriter& out) {
          if (r.path == "/listen") {
            auto stream = out.stay_open({"text/event-stream", ": here\n\n", "data: bye\n\n"});
            if (!stream) return;
            stream->when_over([this] { ++over_; });
            {
              const std::lock_guard lock(mutex_);
              streams_.push_back(std::move(stream));
            }
            out.write("data: hello\n\n");
            return;
          }
          if (r.path == "/hold") {
            ++held_;
            out.while_waiting([this] { wait_.wait(); });
          }
          out.send(200, "text/plain", r.caller);
        },
        std::move(options));
  }
  static std::string from(std::string_view key, std::string_view path) {
    return raw_request("GET", path, {}, "X-Key: " + std::string(key) + "\r\n");
  }
  std::unique_ptr<RawClient> ask_on(std::string_view key, std::string_view path) {
    auto client = std::make_unique<RawClient>(server_->port());
    client->send(from(key, path));
    return client;
  }
  template <class Look>
  static void until(Look look) {
    bool seen = false;
    for (int i = 0; i < 10'000 && !(seen = look()); ++i) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_TRUE(seen);
  }
  void tell(std::string_view text) {
    const std::lock_guard lock(mutex_);
    for (const auto& stream : streams_) stream->offer(text);
  }

  std::atomic<int> held_ = 0, over_ = 0;
  std::promise<void> go_;
  std::shared_future<void> wait_ = go_.get_future().share();
  std::mutex mutex_;
  std::vector<std::shared_ptr<OpenStream>> streams_;
};

TEST_F(CrowdTest, PF_10_one_caller_with_too_many_connections_is_told_and_others_are_answered) {
  start_crowd({.places = {.connections = 20, .per_caller = 5}});
  std::vector<std::unique_ptr<RawClient>> greedy;
  for (int i = 0; i < 5; ++i) greedy.push_back(ask_on("greedy", "/hold"));
  until([&] { return held_ == 5; });
  const auto refused = ask_on("greedy", "/hold")->read_answer();
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.head.find("retry-after: "), std::string::npos);
  EXPECT_NE(refused.head.find("Connection: close"), std::string::npos);
  EXPECT_NE(refused.body.find("server.connections_per_caller"), std::string::npos);
  EXPECT_EQ(ask_on("other", "/")->read_answer().status, 200);
  EXPECT_EQ(ask_on("greedy", "/health")->read_answer().status, 200);
  greedy.pop_back();
  until([&] { return ask_on("greedy", "/")->read_answer().status == 200; });
}

TEST_F(CrowdTest, PF_10_a_full_server_says_so_and_answers_health_and_administrators) {
  start_crowd({.places = {.connections = 4, .spare = 4, .per_caller = 4}});
  std::vector<std::unique_ptr<RawClient>> greedy;
  for (int i = 0; i < 4; ++i) greedy.push_back(ask_on("greedy", "/hold"));
  until([&] { return held_ == 4; });
  for (int i = 0; i < 5; ++i) {
    const auto refused = ask_on("other", "/")->read_answer();
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.head.find("retry-after: "), std::string::npos);
    EXPECT_NE(refused.head.find("Connection: close"), std::string::npos);
    EXPECT_EQ(ask_on("other", "/health")->read_answer().status, 200);
    EXPECT_EQ(ask_on("carer", "/")->read_answer().status, 200);
  }
  greedy.pop_back();
  until([&] { return ask_on("other", "/")->read_answer().status == 200; });
}

TEST_F(CrowdTest, PF_10_silent_connections_make_room) {
  start_crowd({.places = {.connections = 10, .spare = 1}});
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<RawClient>(server_->port()));
  auto idle = ask_on("other", "/");
  EXPECT_EQ(idle->read_answer().status, 200);
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<RawClient>(server_->port()));
  EXPECT_EQ(ask_on("other", "/")->read_answer().status, 200);
  until([&] { return server_->connections() <= 12U; });
}

TEST_F(CrowdTest, PF_10_streams_that_listen_need_no_thread_and_hear_what_is_told) {
  constexpr std::size_t kStreams = 100;
  start_crowd({.workers = 1, .max_workers = 2, .places = {.streams_per_caller = kStreams}});
  std::vector<std::unique_ptr<RawClient>> all;
  for (std::size_t i = 0; i < kStreams; ++i) all.push_back(ask_on("ann", "/listen"));
  for (auto& client : all) client->read_until("hello\n\n");
  EXPECT_EQ(server_->listening(), kStreams);
  EXPECT_EQ(ask_on("ann", "/listen")->read_answer().status, 429);
  EXPECT_EQ(ask_on("bob", "/")->read_answer().status, 200);
  tell("data: news\n\n");
  for (auto& client : all) EXPECT_NE(client->read_until("news\n\n").find("data: news"), std::string::npos);
  all.resize(kStreams / 2);
  until([&] { return over_ == static_cast<int>(kStreams / 2); });
  until([&] { return server_->listening() == kStreams / 2; });
  EXPECT_NE(ask_on("ann", "/listen")->read_until("hello\n\n").find("200 OK"), std::string::npos);
}

TEST_F(CrowdTest, PF_10_a_silent_stream_says_that_it_is_there) {
  start_crowd({.heartbeat = milliseconds(20)});
  auto client = ask_on("ann", "/listen");
  for (int i = 0; i < 3; ++i) EXPECT_NE(client->read_until(": here\n\n").find(": here"), std::string::npos);
}

TEST_F(CrowdTest, PF_10_who_takes_too_slowly_what_is_told_is_cut_off) {
  start_crowd({.max_unsent_bytes = 16 * 1024});
  auto slow = ask_on("ann", "/listen");
  slow->read_until("hello\n\n");
  const std::string block(1024, 'x');
  until([&] {
    for (int i = 0; i < 1000; ++i) tell(block);
    return over_ == 1;
  });
  until([&] { return server_->listening() == 0; });
}

TEST_F(CrowdTest, PF_10_a_server_that_stops_says_farewell_to_its_listeners) {
  start_crowd({});
  std::vector<std::unique_ptr<RawClient>> all;
  for (int i = 0; i < 10; ++i) all.push_back(ask_on("ann", "/listen"));
  for (auto& client : all) client->read_until("hello\n\n");
  server_->stop(std::chrono::seconds(10));
  EXPECT_EQ(over_, 10);
  for (auto& client : all) {
    const auto rest = client->read_all();
    EXPECT_NE(rest.find("data: bye"), std::string::npos);
    EXPECT_TRUE(rest.ends_with("0\r\n\r\n")) << "whole, not broken off";
  }
}

TEST_F(ServerTest, PF_10_a_request_says_which_host_it_means) {
  start_echo();
  for (const auto* host : {"", "Host: \r\n", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: a:99999999\r\n",
                           "Host: http://a/\r\n", "Host: [::1\r\n", "Host: a@b\r\n"}) {
    const auto answer = ask("GET / HTTP/1.1\r\n" + std::string(host) + "\r\n");
    EXPECT_EQ(answer.status, 400) << host;
    EXPECT_NE(answer.body.find("Host"), std::string::npos) << host;
  }
  for (const auto* host : {"Host: localhost\r\n", "Host: [::1]:7077\r\n", "host: weft.example:80\r\n", "Host: a_b\r\n"})
    EXPECT_EQ(ask("GET / HTTP/1.1\r\n" + std::string(host) + "\r\n").status, 200) << host;
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

TEST_F(ServerTest, PF_21_a_server_that_gets_no_further_thread_answers_all_and_at_once_what_is_vital) {
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  ServerOptions options;
  options.admit = [](Request& head) -> std::optional<Refusal> {
    head.vital = head.path == "/health";
    return std::nullopt;
  };
  std::promise<void> waits;
  start(
      [&](const Request& request, ResponseWriter& out) {
        if (request.path == "/wait") {
          out.while_waiting([&] {
            waits.set_value();
            open.wait();
          });
        }
        out.send(200, "text/plain", request.path);
      },
      std::move(options));
  FewThreads none(0);
  RawClient waiting(server_->port()), queued(server_->port());
  waiting.send(raw_request("GET", "/wait"));
  waits.get_future().wait();
  queued.send(raw_request("GET", "/later"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(raw_request("GET", "/health")).body, "/health");
  EXPECT_GT(none.refused(), 0);
  gate.set_value();
  EXPECT_EQ(waiting.read_answer().body, "/wait");
  EXPECT_EQ(queued.read_answer().body, "/later");
}

TEST_F(ServerTest, PF_21_a_stream_for_which_there_is_no_thread_is_refused_and_opens_when_there_is_one) {
  start([](const Request&, ResponseWriter& out) {
    if (const auto stream = out.stay_open({"text/event-stream", ": still here\n\n", "bye\n"})) out.write("hello\n");
  });
  FewThreads few(0);
  const auto refused = ask(raw_request("GET", "/"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("thread"), std::string::npos) << refused.body;
  few.allow(8);  // the pool of workers may take one of them first
  RawClient client(server_->port());
  client.send(raw_request("GET", "/"));
  EXPECT_NE(client.read_until("hello").find(" 200 "), std::string::npos);
}

TEST(Server, PF_21_a_server_without_any_thread_does_not_start) {
  for (const int given : {0, 1, 2}) {
    FewThreads few(given);
    Server server({}, [](Request&, ResponseWriter& out) { out.send(200, "text/plain", ""); });
    const Status started = server.start();
    EXPECT_EQ(started.ok(), given > 2);
    EXPECT_TRUE(started.ok() || started.error().code == ErrorCode::kUnavailable);
  }
}

using std::chrono::seconds;

class PlacesTest : public testing::Test {
 protected:
  static Places::Id id(int number) { return &kIds.at(static_cast<std::size_t>(number)); }
  Places::Arrival arrive(int number) { return places_.arrive(id(number), now_ += seconds(1)); }
  int serve(int number, std::string caller, bool vital = false, bool administrator = false) {
    const auto seat = places_.serve(id(number), {std::move(caller), vital, administrator});
    return seat.refusal ? seat.refusal->status : seat.once ? 201 : 200;
  }
  void rest(int number) { places_.rest(id(number), now_ += seconds(1)); }

  static constexpr std::array<char, 64> kIds{};
  Places places_{{.connections = 3, .spare = 1, .per_caller = 2, .streams_per_caller = 1}};
  Places::Clock::time_point now_;
};

TEST_F(PlacesTest, PF_10_one_caller_cannot_have_all_connections) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(arrive(i).taken);
  EXPECT_EQ(serve(0, "key ann"), 200);
  EXPECT_EQ(serve(1, "key ann"), 200);
  const auto refused = places_.serve(id(2), {"key ann"});
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->status, 429);
  EXPECT_EQ(refused.refusal->headers.at(0).first, "retry-after");
  EXPECT_NE(refused.refusal->error.hint.find("server.connections_per_caller"), std::string::npos);
  EXPECT_EQ(serve(2, "key bob"), 200);
  // A place that was left, or went to another caller, is free again.
  places_.leave(id(0));
  EXPECT_TRUE(arrive(3).taken);
  EXPECT_EQ(serve(3, "key ann"), 200);
  EXPECT_EQ(serve(3, "key bob"), 200);
  EXPECT_EQ(serve(2, "key ann"), 200);
}

TEST_F(PlacesTest, PF_10_who_only_waits_makes_room_the_longest_first) {
  for (int i = 0; i < 3; ++i) arrive(i);
  serve(0, "key ann");
  const auto fourth = arrive(3);
  EXPECT_TRUE(fourth.taken);
  EXPECT_EQ(fourth.leaves, id(1));
  EXPECT_TRUE(places_.has_to_leave(id(1)));
  EXPECT_FALSE(places_.has_to_leave(id(2)));
  // Its request was quicker.
  EXPECT_EQ(serve(1, "key ann"), 200);
  EXPECT_FALSE(places_.has_to_leave(id(1)));
  rest(0);
  EXPECT_EQ(arrive(4).leaves, id(2));
  EXPECT_EQ(arrive(5).leaves, id(3));
}

TEST_F(PlacesTest, PF_10_a_full_server_answers_health_and_administrators_and_tells_others) {
  for (int i = 0; i < 3; ++i) arrive(i);
  serve(0, "key ann");
  serve(1, "key ann");
  serve(2, "key bob");
  EXPECT_TRUE(arrive(3).taken);
  EXPECT_EQ(serve(3, "from 127.0.0.1", true), 201) << "and closes the connection";
  EXPECT_EQ(serve(3, "key carer", false, true), 201);
  EXPECT_EQ(serve(3, "key carol"), 503);
  EXPECT_FALSE(arrive(4).taken) << "the spare place is taken, too";
  rest(3);
  EXPECT_EQ(arrive(5).leaves, id(3)) << "it is not held by whoever waits there";
  EXPECT_EQ(serve(5, "key carol"), 503);
  places_.leave(id(0));
  EXPECT_EQ(serve(5, "key carol"), 200) << "an ordinary place has become free";
}

TEST_F(PlacesTest, PF_10_health_is_told_to_whoever_has_too_many_connections_once_on_each) {
  for (int i = 0; i < 3; ++i) arrive(i);
  serve(0, "from 127.0.0.1");
  serve(1, "from 127.0.0.1");
  EXPECT_EQ(serve(2, "from 127.0.0.1", true), 201) << "and closes the connection";
  EXPECT_EQ(serve(2, "from 127.0.0.1"), 429);
  places_.leave(id(0));
  EXPECT_EQ(serve(2, "from 127.0.0.1", true), 200);
}

TEST_F(PlacesTest, PF_10_one_caller_has_so_many_streams_and_they_come_back) {
  for (int i = 0; i < 3; ++i) arrive(i);
  serve(0, "key ann");
  serve(1, "key ann");
  serve(2, "key bob");
  EXPECT_FALSE(places_.listen(id(0)));
  const auto second = places_.listen(id(1));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, 429);
  EXPECT_NE(second->error.hint.find("server.streams_per_caller"), std::string::npos);
  EXPECT_FALSE(places_.listen(id(2)));
  EXPECT_EQ(places_.listening(), 2U);
  rest(0);
  EXPECT_FALSE(places_.listen(id(1)));
  places_.leave(id(1));
  places_.leave(id(2));
  EXPECT_EQ(places_.listening(), 0U);
}

// Whatever comes in whatever order: nobody has more than they may, and when all have left everything is free.
TEST_F(PlacesTest, PF_10_limits_hold_over_random_orders) {
  std::mt19937 random(7);
  const std::array<std::string, 3> names{"ann", "bob", "carol"};
  std::set<int> there;
  std::map<int, std::string> served;
  for (int step = 0; step < 20'000; ++step) {
    const int one = static_cast<int>(random() % kIds.size());
    const std::string& name = names.at(random() % names.size());
    switch (random() % 4) {
      case 0:
        if (!there.contains(one) && arrive(one).taken) there.insert(one);
        break;
      case 1:
        if (there.contains(one) && serve(one, name) < 300) served[one] = name;
        break;
      case 2: rest(one); break;
      default:
        places_.leave(id(one));
        there.erase(one);
        served.erase(one);
    }
    std::map<std::string, int> counts;
    for (const auto& [number, whose] : served) ASSERT_LE(++counts[whose], 2);
  }
  for (const int one : there) places_.leave(id(one));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(arrive(i).leaves, nullptr);
}

}  // namespace
}  // namespace weft::http
