#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "ports/chat/chat_model.h"
#include "ports/chat/vocabulary.h"
#include "ports/net/http_client.h"

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
