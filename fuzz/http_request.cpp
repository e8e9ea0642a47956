// The bytes of a connection, from anybody: read as the server reads them, then admitted or not, routed and answered,
// with a whole engine behind but no network. Each request gets one answer, whole, with a status and a body of its type.
#include <unistd.h>

#include <boost/beast/http.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "ports/net/http_client.h"
#include "surface/api/api.h"
#include "surface/http/exchange.h"
#include "surface/http/guard.h"
#include "surface/mcp/http_endpoint.h"
#include "surface/page/page.h"
#include "surface/proxy/proxy.h"
#include "weft/engine.h"

namespace {

using namespace weft;

/// No server can be reached.
class NoNetwork final : public HttpClient {
 public:
  Result<HttpResponse> send(const HttpRequest&, const Deadline&) override { return unavailable("no network"); }
  Result<HttpResponse> stream(const HttpRequest&, const Deadline&, const HttpSink&) override {
    return unavailable("no network");
  }
};

/// Looks that an answer is one. Its client takes what comes and leaves when a stream has begun.
class Checked final : public http::ResponseWriter {
 public:
  void header(std::string_view, std::string_view) override {}
  void send(int status, std::string_view content_type, std::string_view body) override {
    if (started_ || status < 200 || status > 599) std::abort();
    if (content_type == "application/json" && !body.empty() && !nlohmann::json::accept(body)) std::abort();
    started_ = true;
  }
  bool begin(int, std::string_view) override {
    if (started_) std::abort();
    started_ = true;
    gone_.request_stop();
    return false;
  }
  bool write(std::string_view) override { return false; }
  void end() override {}
  bool started() const override { return started_; }
  std::stop_token cancel() const override { return gone_.get_token(); }

 private:
  std::stop_source gone_;
  bool started_ = false;
};

/// All doors of a server on an engine of its own, which is left behind with its folder when the program ends.
class Doors {
 public:
  Doors() {
    config_.workspace = std::filesystem::temp_directory_path() / ("weft-fuzz-" + std::to_string(getpid()));
    config_.store = "memory:";
    config_.log.level = LogLevel::kOff;
    config_.embedding.provider = EmbeddingProvider::kNone;
    config_.proxy.upstream = "http://127.0.0.1:9/v1";
    config_.proxy.ask_models = false;
    auto opened = Engine::open(config_);
    if (!opened.ok()) std::abort();
    engine_ = std::move(opened).value();
    proxy_.emplace(*engine_, config_, client_, nullptr, clock_);
    mcp_.emplace(*engine_, "all", nullptr);
    add_api(router_, *engine_);
    proxy_->add_to(router_);
    mcp_->add_to(router_);
    add_page(router_);
  }
  ~Doors() {
    proxy_.reset();
    mcp_.reset();
    engine_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(config_.workspace, ignored);
  }

  void answer(http::Request request) {
    if (guard_.admit(request)) return;
    // What writes beside the workspace needs an administrator.
    request.access.right = Right::kWrite;
    Checked out;
    guard_.mark(request, out);
    if (!guard_.answer_preflight(request, out)) router_.dispatch(request, out);
    if (!out.started()) std::abort();
  }

 private:
  Config config_;
  NoNetwork client_;
  SystemClock clock_;
  std::unique_ptr<Engine> engine_;
  http::Guard guard_{{}};
  http::Router router_;
  std::optional<proxy::Proxy> proxy_;
  std::optional<mcp::HttpEndpoint> mcp_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace bh = boost::beast::http;
  static Doors doors;
  constexpr std::size_t kMostRequests = 4;  // that stand behind each other
  boost::asio::const_buffer rest(data, size);
  for (std::size_t i = 0; i < kMostRequests && rest.size() > 0; ++i) {
    bh::request_parser<bh::string_body> parser;
    parser.header_limit(64 * 1024);
    parser.body_limit(1 << 20);
    parser.eager(true);
    boost::beast::error_code error;
    while (!parser.is_done() && rest.size() > 0 && !error) {
      const std::size_t taken = parser.put(rest, error);
      if (taken == 0) break;
      rest += taken;
    }
    if (error || !parser.is_done()) return 0;
    http::Request request = http::request_of(parser.get());
    request.body = std::move(parser.get().body());
    doors.answer(std::move(request));
  }
  return 0;
}
