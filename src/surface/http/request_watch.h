#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/strings.h"
#include "base/trace.h"
#include "surface/http/exchange.h"

namespace weft::http {

/// One request that is over.
struct RequestEnd {
  std::string method, route;  ///< route: the pattern of its path; empty: there is none like it
  int status = 0;
  double seconds = 0;
  std::size_t received = 0, sent = 0;  ///< bytes of the bodies
  bool refused = false;                ///< before anybody looked at it
};

/// What goes through the server, counted for metrics. Paths are told by their patterns, so that labels stay few and
/// name nobody. Safe from any thread.
class Traffic {
 public:
  Traffic();

  void begun() { ++open_; }
  /// `reason`: why it was refused, one of few words such as "key" or "rate"; empty: as its status says.
  void ended(const RequestEnd& request, std::string_view reason = {});

  void stream_begun() { ++streams_; }
  void stream_ended() { --streams_; }

  /// As text that Prometheus reads. `connections`: open ones; `listening`: those of streams that go on without a
  /// request.
  std::string text(std::size_t connections, std::size_t listening = 0) const;

  /// How a method and a pattern are told.
  static std::string method_label(std::string_view method);
  static std::string route_label(std::string_view route);

 private:
  CounterFamily requests_, refused_;
  HistogramFamily time_;
  std::atomic<std::int64_t> open_{0}, streams_{0};
  std::atomic<std::uint64_t> received_{0}, sent_{0};
};

/// Writes a line of the log on a request that is over: which, by whom, what became of it. It holds the pattern of the
/// path and the key's name, never the path itself, the query, a key, or anything that was said. At the level "info";
/// "warning" where the server has failed, which
/// is not so where it is only full: who asks again and again would fill the log.
void log_access(std::string_view key, const RequestEnd& request, std::string_view upstream_request = {});

/// Hands an answer on, and tells its status before the client can see it. `out` must outlive it.
class StatusWriter final : public PassingWriter {
 public:
  StatusWriter(ResponseWriter& out, std::function<void(int status)> tell)
      : PassingWriter(out), tell_(std::move(tell)) {}

  void send(int status, std::string_view content_type, std::string_view body) override {
    tell_(status);
    PassingWriter::send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override {
    tell_(status);
    return PassingWriter::begin(status, content_type);
  }

  std::shared_ptr<OpenStream> stay_open(Listening how) override {
    auto stream = PassingWriter::stay_open(std::move(how));
    if (const int status = status_of_stream(stream, *this); status > 0) tell_(status);
    return stream;
  }

 private:
  std::function<void(int status)> tell_;
};

/// Looks at a request while it is answered, counts it and writes its line of the log when it is over. An id that a
/// model's server gave its answer is passed on as X-Upstream-Request-Id: X-Request-Id is ours. For one thread; what is
/// given must outlive it.
class RequestWatch final : public PassingWriter {
 public:
  /// `logged`: its line is written.
  RequestWatch(Traffic& traffic, bool logged, const Request& request, ResponseWriter& out)
      : PassingWriter(out),
        traffic_(traffic),
        logged_(logged),
        request_(request),
        method_(request.method),
        received_(request.body.size()),
        failing_(std::uncaught_exceptions()) {
    traffic_.begun();
  }

  ~RequestWatch() override { finish(); }
  RequestWatch(const RequestWatch&) = delete;
  RequestWatch& operator=(const RequestWatch&) = delete;

  void header(std::string_view name, std::string_view value) override {
    if (!is_request_id_name(name)) return PassingWriter::header(name, value);
    if (is_request_id(value)) upstream_request_ = value;
    PassingWriter::header("X-Upstream-Request-Id", value);
  }
  void send(int status, std::string_view content_type, std::string_view body) override {
    status_ = status;
    sent_ += body.size();
    finish();
    PassingWriter::send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override {
    status_ = status;
    streaming_ = true;
    traffic_.stream_begun();
    return PassingWriter::begin(status, content_type);
  }
  void end() override {
    finish();
    PassingWriter::end();
  }
  // It goes on without a request: only the connection tells of it.
  std::shared_ptr<OpenStream> stay_open(Listening how) override {
    auto stream = PassingWriter::stay_open(std::move(how));
    status_ = status_of_stream(stream, *this);
    if (status_ > 0) finish(stream != nullptr ? std::string_view() : "too_many");
    return stream;
  }
  bool write(std::string_view bytes) override {
    sent_ += bytes.size();
    return PassingWriter::write(bytes);
  }

 private:
  static bool is_request_id_name(std::string_view name) {
    constexpr std::string_view kName = "x-request-id";
    if (name.size() != kName.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
      if (to_lower(name[i]) != kName[i]) return false;
    return true;
  }

  // Before the client can see the end: who has the answer finds it counted and its line in the log.
  void finish(std::string_view refused_for = {}) {
    if (finished_) return;
    finished_ = true;
    constexpr int kClientGone = 499, kFailed = 500;
    constexpr double kMsPerSecond = 1000;
    if (streaming_) traffic_.stream_ended();
    const bool thrown = std::uncaught_exceptions() > failing_;
    const int status = status_ != 0 ? status_ : thrown || !client_gone() ? kFailed : kClientGone;
    const RequestEnd end{method_, request_.route, status, clock_.ms() / kMsPerSecond, received_, sent_};
    traffic_.ended(end, refused_for);
    if (logged_) log_access(request_.access.name, end, upstream_request_);
  }

  Traffic& traffic_;
  const bool logged_;
  const Request& request_;
  const std::string method_;
  const std::size_t received_;
  const int failing_;
  const Stopwatch clock_;
  int status_ = 0;
  std::size_t sent_ = 0;
  bool streaming_ = false, finished_ = false;
  std::string upstream_request_;
};

/// A request as the first step of its trace, or of its caller's (header `traceparent`). It is named by method and
/// pattern of the path: paths and queries may name people. For one thread; what is given must outlive it.
class RequestSpan {
 public:
  /// `sink` may be null: then nothing is recorded. `share` of requests whose caller does not say.
  RequestSpan(SpanSink* sink, double share, const Request& request, ResponseWriter& out)
      : request_(request),
        span_(sink, request.method, parse_traceparent(request.header("traceparent")), share),
        out_(out, [this](int status) { status_ = status; }) {}

  ~RequestSpan() {
    if (!span_.on()) return;
    span_.set("http.request.method", request_.method);
    if (!request_.route.empty()) {
      span_.rename(request_.method + " " + request_.route);
      span_.set("http.route", request_.route);
    }
    if (status_ > 0) span_.set("http.response.status_code", std::int64_t{status_});
    constexpr int kServerErrors = 500;
    if (status_ < kServerErrors) return;
    span_.set("error.type", std::to_string(status_));
    span_.fail("the request could not be answered");
  }
  RequestSpan(const RequestSpan&) = delete;
  RequestSpan& operator=(const RequestSpan&) = delete;

  ResponseWriter& out() { return out_; }

 private:
  const Request& request_;
  TraceSpan span_;
  StatusWriter out_;
  int status_ = 0;
};

}  // namespace weft::http
