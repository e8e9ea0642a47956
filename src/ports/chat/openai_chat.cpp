#include "ports/chat/openai_chat.h"

#include <atomic>
#include <optional>

#include "ports/chat/openai_wire_chat.h"
#include "ports/net/openai_wire.h"
#include "ports/net/sse.h"
#include "text/schema_check.h"

namespace weft {
namespace {

using OnText = std::function<bool(std::string_view)>;
using openai::SchemaForm;

bool is_about_schema(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument && (error.message.find("response_format") != std::string::npos ||
                                                       error.message.find("json_schema") != std::string::npos);
}

class OpenAiChat final : public ChatModel {
 public:
  OpenAiChat(OpenAiChatOptions options, std::shared_ptr<HttpClient> client)
      : options_(std::move(options)), client_(std::move(client)) {}

  std::string name() const override { return options_.name.empty() ? options_.model : options_.name; }
  std::int64_t window() const override { return options_.window; }
  std::int64_t count_tokens(std::string_view text) const override {
    return options_.vocabulary ? options_.vocabulary->count(text) : -1;
  }

  Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline, const OnText& on_text) override {
    std::optional<SchemaCheck> check;
    if (!request.json_schema.empty()) {
      WEFT_TRY(check, SchemaCheck::compile(request.json_schema));
    }
    int attempts = 0;
    for (int answers = 1;; ++answers) {
      WEFT_TRY(ChatReply reply, ask_in_known_form(request, deadline, on_text, attempts));
      reply.attempts = attempts;
      // A call of a tool is not the answer yet.
      if (!check || !reply.message.tool_calls.empty()) return reply;
      const Status valid = check->check(reply.message.content);
      if (valid.ok()) return reply;
      // What was streamed cannot be taken back.
      if (on_text || !wait_for_retry(options_.retry, answers, deadline)) {
        return unavailable(name() + " gave no valid answer: " + valid.error().message);
      }
    }
  }

 private:
  // Falls back to the weaker form of asking for JSON where the endpoint does not know the stronger one.
  Result<ChatReply> ask_in_known_form(const ChatRequest& request, const Deadline& deadline, const OnText& on_text,
                                      int& attempts) {
    const SchemaForm form = form_;
    Result<ChatReply> reply = ask(request, deadline, on_text, form, attempts);
    if (reply.ok() || request.json_schema.empty() || form == SchemaForm::kJsonObject || !is_about_schema(reply.error()))
      return reply;
    Result<ChatReply> weaker = ask(request, deadline, on_text, SchemaForm::kJsonObject, attempts);
    if (weaker.ok()) form_ = SchemaForm::kJsonObject;
    return weaker;
  }

  Result<ChatReply> ask(const ChatRequest& request, const Deadline& deadline, const OnText& on_text, SchemaForm form,
                        int& attempts) {
    WEFT_TRY(std::string body, openai::chat_body(request, options_.model, on_text != nullptr, form));
    HttpRequest call = openai::post(options_.url, "/chat/completions", options_.api_key, std::move(body));
    call.idle_timeout = options_.timeout;
    call.connect_timeout = std::min(call.connect_timeout, options_.timeout);
    int made = 0;
    Result<ChatReply> reply = on_text ? ask_streamed(call, deadline, on_text, made) : ask_whole(call, deadline, made);
    attempts += made;
    return reply;
  }

  Result<ChatReply> ask_whole(const HttpRequest& call, const Deadline& deadline, int& made) {
    WEFT_TRY(const HttpResponse response, send_with_retry(*client_, call, deadline, options_.retry, &made));
    if (response.status != 200) return openai::error_of(response, options_.url);
    return named(openai::read_chat_answer(response.body));
  }

  Result<ChatReply> ask_streamed(HttpRequest& call, const Deadline& deadline, const OnText& on_text, int& made) {
    call.headers.emplace_back("Accept", "text/event-stream");
    SseReader reader;
    openai::ChatAnswerBuilder builder;
    std::string whole;  // the answer of an endpoint that does not stream
    bool is_stream = true, going_on = true;
    HttpSink sink;
    sink.on_head = [&](const HttpResponse& head) {
      for (const auto& [name, value] : head.headers) {
        if (name == "content-type" && value.find("json") != std::string::npos) is_stream = false;
      }
      return true;
    };
    sink.on_bytes = [&](std::string_view bytes) {
      if (!is_stream) return whole.append(bytes), true;
      const bool readable =
          reader.feed(bytes, [&](const SseEvent& event) { going_on = going_on && builder.take(event.data, on_text); });
      return readable && going_on;
    };
    const Result<HttpResponse> response = stream_with_retry(*client_, call, deadline, options_.retry, sink, &made);
    if (!builder.status().ok()) return named(Result<ChatReply>(builder.status().error()));
    if (!response.ok() && !(builder.complete() && response.error().code == ErrorCode::kUnavailable))
      return response.error();
    if (response.ok() && response->status != 200) return openai::error_of(*response, options_.url);
    if (!is_stream) return tell_whole(openai::read_chat_answer(whole), on_text);
    if (!builder.complete())
      return unavailable(server_of(options_.url) + " ended the stream before the answer was complete");
    return builder.finish();
  }

  Result<ChatReply> tell_whole(Result<ChatReply> reply, const OnText& on_text) const {
    if (reply.ok() && !reply->message.content.empty() && !on_text(reply->message.content))
      return cancelled("the answer was not wanted any more");
    return named(std::move(reply));
  }

  // The same, with the server's name in front of an error.
  Result<ChatReply> named(Result<ChatReply> reply) const {
    if (reply.ok()) return reply;
    Error error = reply.error();
    error.message = server_of(options_.url) + ": " + error.message;
    return error;
  }

  OpenAiChatOptions options_;
  std::shared_ptr<HttpClient> client_;
  std::atomic<SchemaForm> form_ = SchemaForm::kJsonSchema;
};

}  // namespace

std::unique_ptr<ChatModel> make_openai_chat(OpenAiChatOptions options, std::shared_ptr<HttpClient> client) {
  return std::make_unique<OpenAiChat>(std::move(options), std::move(client));
}

}  // namespace weft
