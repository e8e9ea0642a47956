#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "ports/embedding/embedder.h"
#include "ports/net/http_client.h"
#include "weft/result.h"

namespace weft {

struct LlamaEmbedderOptions {
  std::string path;         ///< GGUF file
  std::string name;  ///< what `name()` says and the family is guessed from; empty: the file's name without ".gguf"
  std::int64_t contexts = 2;  ///< texts embedded at the same time; the second is made when it is first needed
  std::int64_t threads = 1;  ///< for one text; more than one collapses on a busy machine (spinning barriers)
  std::int64_t max_tokens = 512;  ///< of one text with its prefix; bounded by what the model was trained with
  std::optional<std::string> query_prefix, passage_prefix;  ///< instead of the family's; the first also for comparing
  std::stop_token stop = {};  ///< gives loading up, with kCancelled
};

/// Opens a GGUF file of an embedding model: on the CPU, mean pooling unless the model says otherwise. Texts over the
/// limit are cut at the last sentence end within their last quarter, else between words. Loading takes about a second
/// for a vocabulary of 250,000, so callers load in the background. Errors as of `llama::load_model`; kInvalidArgument
/// where the model makes no vectors.
Result<std::unique_ptr<Embedder>> open_llamacpp_embedder(const LlamaEmbedderOptions& options);

struct OpenAiEmbedderOptions {
  std::string url;  ///< base URL with /v1
  std::string model;  ///< the endpoint's name for it
  std::string api_key;  ///< sent as bearer token; empty: none
  std::size_t dimensions = 0;  ///< length of the vectors; 0: learnt from a first call when it is opened
  std::chrono::milliseconds timeout{10000};  ///< of one attempt
  RetryPolicy retry;
  std::optional<std::string> query_prefix, passage_prefix;  ///< instead of the family's; the first also for comparing
};

/// An embedder behind an OpenAI-compatible endpoint (`POST {url}/embeddings`, one text a call). Vectors are scaled to
/// length 1 and checked: another length than expected is kUnavailable. 401 and 403 are kPermission, other refusals
/// kInvalidArgument, quoting the endpoint's own words. Opening fails where the first call does.
Result<std::unique_ptr<Embedder>> open_openai_embedder(OpenAiEmbedderOptions options,
                                                       std::shared_ptr<HttpClient> client, const Deadline& deadline);

}  // namespace weft
