#pragma once

#include <string>
#include <utility>

#include "surface/http/exchange.h"

namespace weft::http {

/// Keeps an answer, whole or streamed, instead of sending it: for who runs an operation within the program.
class KeptAnswer final : public ResponseWriter {
 public:
  /// `cancel` stands for the client that goes away.
  explicit KeptAnswer(std::stop_token cancel = {}) : cancel_(std::move(cancel)) {}

  void header(std::string_view, std::string_view) override {}
  void send(int code, std::string_view, std::string_view text) override {
    status = code;
    body = text;
  }
  bool begin(int code, std::string_view) override {
    status = code;
    return !client_gone();
  }
  bool write(std::string_view bytes) override {
    body += bytes;
    return !client_gone();
  }
  void end() override {}
  bool started() const override { return status != 0; }
  std::stop_token cancel() const override { return cancel_; }

  int status = 0;  ///< 0: nothing was answered
  std::string body;

 private:
  std::stop_token cancel_;
};

}  // namespace weft::http
