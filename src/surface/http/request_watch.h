#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/request_mark.h"
#include "surface/http/access_log.h"
#include "surface/http/passing_writer.h"
#include "surface/http/traffic.h"

namespace weft::http {

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

}  // namespace weft::http
