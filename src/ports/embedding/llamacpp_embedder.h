#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "ports/embedding/embedder.h"
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

}  // namespace weft
