#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "ports/embedding/embedder.h"
#include "ports/net/http_client.h"
#include "weft/result.h"

namespace weft {

struct OpenAiEmbedderOptions {
  std::string url;      ///< base URL with /v1
  std::string model;    ///< the endpoint's name for it
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
