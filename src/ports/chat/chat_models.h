#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ports/chat/chat_model.h"
#include "ports/chat/vocabulary.h"
#include "ports/net/http_client.h"
#include "weft/result.h"

namespace weft {

struct LlamaChatOptions {
  std::string path;             ///< GGUF file
  std::string name;             ///< empty: the file's name without ".gguf"
  std::int64_t window = 0;      ///< tokens of prompt and answer; 0: what the model was trained with, at most 8192
  std::int64_t threads = 0;     ///< 0: half of the machine's
  std::int64_t retries = 1;     ///< further attempts where an answer breaks the schema, drawn with some chance
};

/// Opens a GGUF chat model, on the CPU. One answer is made at a time; further callers wait, up to their deadline. The
/// prompt follows the template in the file; the beginning that it shares with the last one is not computed again.
/// Answers with a schema are bound to it by a grammar and checked afterwards. Tools are not offered to local models: a
/// request with tools is kInvalidArgument. It weighs answers. A prompt that leaves no room in the window is kTooLarge.
/// A model without a template is kInvalidArgument when it is opened.
Result<std::unique_ptr<ChatModel>> open_llamacpp_chat(const LlamaChatOptions& options);

}  // namespace weft

namespace weft::openai {

// Requests and answers of `POST /chat/completions`.

/// How a schema is asked for.
enum class SchemaForm {
  kJsonSchema,  ///< response_format json_schema, strict
  kJsonObject,  ///< response_format json_object, the schema as a last system message
};

/// The body of a request. Messages carry only what the interface defines: no ids, times or reasoning. kInvalidArgument
/// where a tool or the schema is no JSON.
Result<std::string> chat_body(const ChatRequest& request, const std::string& model, bool streamed, SchemaForm form);

/// Reads the body of an answer that was not streamed. The error, kUnavailable, says what is wrong with it.
Result<ChatReply> read_chat_answer(std::string_view body);

/// Puts a streamed answer together. Not safe for several threads.
class ChatAnswerBuilder {
 public:
  /// Takes the data of one event, and hands new text to `on_text`. False when `on_text` or a broken event ends the
  /// stream: see `status`.
  bool take(const std::string& data, const std::function<bool(std::string_view)>& on_text);

  /// What ended the stream early: kCancelled by `on_text`, kUnavailable by a broken event or an error in the stream.
  const Status& status() const { return status_; }

  /// Whether the answer is complete: "[DONE]" or a finish reason came.
  bool complete() const { return done_ || !reply_.finish_reason.empty(); }

  /// The answer, taken out.
  ChatReply finish();

 private:
  bool fail(Error error);

  ChatReply reply_;
  Status status_;
  bool done_ = false;
};

}  // namespace weft::openai

namespace weft {

struct OpenAiChatOptions {
  std::string name;     ///< what `name()` says; empty: `model`
  std::string url;      ///< base URL with /v1
  std::string model;    ///< the endpoint's name for it
  std::string api_key;  ///< sent as bearer token; empty: none
  std::int64_t window = 0;                   ///< tokens; 0: unknown
  std::chrono::milliseconds timeout{60000};  ///< silence of the endpoint after which an attempt fails with kTimeout
  RetryPolicy retry;                         ///< also how often an answer that breaks the schema is asked for again
  std::shared_ptr<const Vocabulary> vocabulary;  ///< counts tokens; null: none
};

/// A chat model behind an OpenAI-compatible endpoint (`POST {url}/chat/completions`), streamed where `on_text` is
/// given. A schema is sent as `response_format`; where the endpoint refuses that, as `json_object` with the schema in
/// the prompt, then and from then on. Refusals are errors as of `openai::error_of`, quoting the endpoint's words; an
/// answer that is broken or ends half-way is kUnavailable. Once text was handed to `on_text` nothing is repeated.
/// Tokens are counted where `vocabulary` is given and loaded.
std::unique_ptr<ChatModel> make_openai_chat(OpenAiChatOptions options, std::shared_ptr<HttpClient> client);

}  // namespace weft
