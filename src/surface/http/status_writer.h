#pragma once

#include <functional>
#include <utility>

#include "surface/http/passing_writer.h"

namespace weft::http {

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
    constexpr int kOk = 200, kTooMany = 429;
    auto stream = PassingWriter::stay_open(std::move(how));
    if (stream || started()) tell_(stream ? kOk : kTooMany);
    return stream;
  }

 private:
  std::function<void(int status)> tell_;
};

}  // namespace weft::http
