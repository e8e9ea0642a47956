#pragma once

#include "surface/http/exchange.h"

namespace weft::http {

/// Hands an answer on and remembers its status. `out` must outlive it.
class StatusWriter final : public ResponseWriter {
 public:
  explicit StatusWriter(ResponseWriter& out) : out_(out) {}

  /// 0 while nothing was sent.
  int status() const { return status_; }

  void header(std::string_view name, std::string_view value) override { out_.header(name, value); }
  void send(int status, std::string_view content_type, std::string_view body) override {
    status_ = status;
    out_.send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override {
    status_ = status;
    return out_.begin(status, content_type);
  }
  bool write(std::string_view bytes) override { return out_.write(bytes); }
  void end() override { out_.end(); }
  bool started() const override { return out_.started(); }
  std::stop_token cancel() const override { return out_.cancel(); }
  void while_waiting(const std::function<void()>& wait) override { out_.while_waiting(wait); }

 private:
  ResponseWriter& out_;
  int status_ = 0;
};

}  // namespace weft::http
