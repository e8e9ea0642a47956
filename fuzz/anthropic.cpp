#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "surface/http/exchange.h"
#include "surface/proxy/anthropic.h"
#include "text/json.h"

namespace {

/// Takes an answer and looks that what is said is whole.
class Checked final : public weft::http::ResponseWriter {
 public:
  void header(std::string_view, std::string_view) override {}
  void send(int, std::string_view, std::string_view body) override {
    if (!nlohmann::json::accept(body)) std::abort();
  }
  bool begin(int, std::string_view) override { return true; }
  bool write(std::string_view) override { return true; }
  void end() override {}
  bool started() const override { return false; }
  std::stop_token cancel() const override { return {}; }
};

}  // namespace

// A call of Anthropic's form: what is read of it can be written again as JSON, translated or not. The same bytes as an
// answer of a model's server, whole and in pieces: whatever it sends, what goes to the client is whole.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  weft::proxy::LeftOut left_out;
  const auto translated = weft::proxy::chat_body_of(text, {}, left_out);
  if (translated.ok() && !nlohmann::json::accept(*translated)) std::abort();
  const auto call = weft::proxy::parse_anthropic_call(text, {});
  if (call.ok() && call->unreadable.empty() &&
      !nlohmann::json::accept(weft::proxy::anthropic_body_with(*call, call->messages)))
    std::abort();
  Checked out;
  weft::proxy::AnthropicWriter(out, "m").send(200, "application/json", text);
  weft::proxy::AnthropicWriter streamed(out, "m");
  for (std::size_t at = 0; at < text.size(); at += 7) streamed.write(std::string_view(text).substr(at, 7));
  streamed.end();
  return 0;
}
