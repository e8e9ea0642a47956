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
    auto stream = PassingWriter::stay_open(std::move(how));
    if (const int status = status_of_stream(stream, *this); status > 0) tell_(status);
    return stream;
  }

 private:
  std::function<void(int status)> tell_;
};

}  // namespace weft::http
