#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "surface/http/exchange.h"

namespace weft {

/// Keeps an answer instead of sending it. For tests of handlers without sockets.
class RecordedAnswer final : public http::ResponseWriter {
 public:
  void header(std::string_view name, std::string_view value) override { headers.emplace_back(name, value); }
  void send(int code, std::string_view type, std::string_view text) override {
    status = code;
    content_type = type;
    body = text;
    started_ = ended = true;
  }
  bool begin(int code, std::string_view type) override {
    status = code;
    content_type = type;
    started_ = streamed = true;
    return !client_gone();
  }
  bool write(std::string_view bytes) override {
    if (client_gone()) return false;
    body += bytes;
    return true;
  }
  void end() override { ended = true; }
  std::shared_ptr<http::OpenStream> stay_open(http::Listening how) override {
    begin(200, how.content_type);
    stream = std::make_shared<Stream>(*this);
    return stream;
  }
  bool started() const override { return started_; }
  std::stop_token cancel() const override { return gone.get_token(); }

  std::string header_named(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }

  /// What is told on an answer that stays open is added to `body`; to be over it needs `leave`.
  class Stream final : public http::OpenStream {
   public:
    explicit Stream(RecordedAnswer& answer) : answer_(answer) {}
    bool offer(std::string_view bytes) override { return !answer_.ended && answer_.write(bytes); }
    void end() override { answer_.ended = true; }
    void when_over(std::function<void()> tell) override { over_ = std::move(tell); }
    /// As when the client goes away.
    void leave() {
      answer_.gone.request_stop();
      if (over_) std::exchange(over_, nullptr)();
    }

   private:
    RecordedAnswer& answer_;
    std::function<void()> over_;
  };

  std::shared_ptr<Stream> stream;  ///< of an answer that stays open
  int status = 0;
  std::string content_type, body;
  http::Headers headers;
  bool streamed = false, ended = false;
  std::stop_source gone;

 private:
  bool started_ = false;
};

}  // namespace weft
