#pragma once

#include "base/trace.h"
#include "surface/http/exchange.h"
#include "surface/http/status_writer.h"

namespace weft::http {

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
