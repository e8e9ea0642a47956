#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "surface/http/exchange.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/responses.h"
#include "text/json.h"

namespace {

/// Takes an answer and looks that what is said is whole.
class Checked final : public weft::http::ResponseWriter {
 public:
  void header(std::string_view, std::string_view) override {}
  void send(int status, std::string_view, std::string_view body) override {
    if (status == 200 && !nlohmann::json::accept(body)) std::abort();
  }
  bool begin(int, std::string_view) override { return true; }
  bool write(std::string_view bytes) override {
    reader_.feed(bytes, [](const weft::SseEvent& event) {
      if (!nlohmann::json::accept(event.data)) std::abort();
    });
    return true;
  }
  void end() override {}
  bool started() const override { return false; }
  std::stop_token cancel() const override { return {}; }

 private:
  weft::SseReader reader_;
};

void check(const std::string& json) {
  if (!nlohmann::json::accept(json)) std::abort();
}

}  // namespace

// A call of OpenAI's Responses API: what is read of it can be written again as JSON, as it came, with text woven in, as
// a part of a chain, and translated. The same bytes as an answer of a model's server, in its form and in that of chat
// completions, whole and in pieces: whatever it sends, what goes to the client is whole.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::proxy;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (auto call = parse_responses_call(text, {}); call.ok() && call->unreadable.empty()) {
    check(responses_body_with(*call, call->messages));
    auto woven = call->messages;
    for (weft::Message& message : woven) {
      if (message.role == weft::Role::kAssistant) continue;
      message.content += "\n\nours";
      message.raw.clear();
    }
    check(responses_body_with(*call, woven));
    if (const auto chat = chat_call_of(*call, {}); chat.ok()) check(chat->body);
    put_before({weft::Message::user("before"), weft::Message::assistant("yes")}, *call);
    check(responses_body_with(*call, call->messages));
    check(detached_body_with(*call, call->messages));
  }
  (void)reply_in(text);
  ReplyAssembler assembler;
  Checked out;
  ResponsesWriter(out, {"resp_1", "{}"}, 1).send(200, "application/json", text);
  ResponsesWriter streamed(out, {"resp_1", "{}"}, 1);
  for (std::size_t at = 0; at < text.size(); at += 7) {
    assembler.feed(std::string_view(text).substr(at, 7));
    streamed.write(std::string_view(text).substr(at, 7));
  }
  streamed.end();
  (void)assembler.message();
  return 0;
}
