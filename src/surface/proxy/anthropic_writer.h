#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ports/net/sse.h"
#include "surface/http/passing_writer.h"

namespace weft::proxy {

/// {"type":"error","error":{"type","message"}}, as Anthropic's clients read it.
std::string anthropic_error_json(int status, std::string_view message);

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on as one of
/// Anthropic's POST /v1/messages. `out` must outlive it. For one thread.
class AnthropicWriter final : public http::PassingWriter {
 public:
  /// `model` stands in the answer where the server names none.
  AnthropicWriter(http::ResponseWriter& out, std::string model);
  ~AnthropicWriter() override;

  void send(int status, std::string_view content_type, std::string_view body) override;
  bool begin(int status, std::string_view content_type) override;
  bool write(std::string_view bytes) override;
  void end() override;

 private:
  class Events;

  std::string model_;
  SseReader reader_;
  std::unique_ptr<Events> events_;
};

}  // namespace weft::proxy
