#pragma once

#include <memory>
#include <utility>

#include "surface/http/exchange.h"

namespace weft::http {

/// Hands an answer on as it is; who looks at it or changes it on its way derives from this. `out` must outlive it.
class PassingWriter : public ResponseWriter {
 public:
  explicit PassingWriter(ResponseWriter& out) : out_(out) {}

  void header(std::string_view name, std::string_view value) override { out_.header(name, value); }
  void send(int status, std::string_view content_type, std::string_view body) override {
    out_.send(status, content_type, body);
  }
  bool begin(int status, std::string_view content_type) override { return out_.begin(status, content_type); }
  bool write(std::string_view bytes) override { return out_.write(bytes); }
  void end() override { out_.end(); }
  std::shared_ptr<OpenStream> stay_open(Listening how) override { return out_.stay_open(std::move(how)); }
  bool started() const override { return out_.started(); }
  std::stop_token cancel() const override { return out_.cancel(); }
  void while_waiting(const std::function<void()>& wait) override { out_.while_waiting(wait); }

 protected:
  ResponseWriter& out_;
};

/// What a client was answered that asked for a stream which stays open; 0: nothing.
inline int status_of_stream(const std::shared_ptr<OpenStream>& stream, const ResponseWriter& out) {
  constexpr int kOk = 200, kTooMany = 429;
  return stream != nullptr ? kOk : out.started() ? kTooMany : 0;
}

}  // namespace weft::http
