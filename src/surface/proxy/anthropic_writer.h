#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "surface/proxy/translating_writer.h"

namespace weft::proxy {

/// {"type":"error","error":{"type","message"}}, as Anthropic's clients read it.
std::string anthropic_error_json(int status, std::string_view message);

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on as one of
/// Anthropic's POST /v1/messages. `out` must outlive it. For one thread.
class AnthropicWriter final : public TranslatingWriter {
 public:
  /// `model` stands in the answer where the server names none.
  AnthropicWriter(http::ResponseWriter& out, std::string model);
  ~AnthropicWriter() override;

  void send(int status, std::string_view content_type, std::string_view body) override;

 private:
  class Events;

  void take(std::string_view data) override;
  void finish() override;
  std::string taken() override;

  std::string model_;
  std::unique_ptr<Events> events_;
};

}  // namespace weft::proxy
