#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ports/net/sse.h"
#include "surface/http/exchange.h"

namespace weft::proxy {

/// {"type":"error","error":{"type","message"}}, as Anthropic's clients read it.
std::string anthropic_error_json(int status, std::string_view message);

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on as one of
/// Anthropic's POST /v1/messages. `out` must outlive it. For one thread.
class AnthropicWriter final : public http::ResponseWriter {
 public:
  /// `model` stands in the answer where the server names none.
  AnthropicWriter(http::ResponseWriter& out, std::string model);
  ~AnthropicWriter() override;

  void header(std::string_view name, std::string_view value) override { out_.header(name, value); }
  void send(int status, std::string_view content_type, std::string_view body) override;
  bool begin(int status, std::string_view content_type) override;
  bool write(std::string_view bytes) override;
  void end() override;
  bool started() const override { return out_.started(); }
  std::stop_token cancel() const override { return out_.cancel(); }
  void while_waiting(const std::function<void()>& wait) override { out_.while_waiting(wait); }

 private:
  class Events;

  http::ResponseWriter& out_;
  std::string model_;
  SseReader reader_;
  std::unique_ptr<Events> events_;
};

}  // namespace weft::proxy
