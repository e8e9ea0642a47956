#pragma once

#include <string>
#include <string_view>

#include "base/trace.h"
#include "ports/embedding/embedder.h"

namespace weft {

/// Texts that get their vectors, as a step of what is traced on this thread.
class EmbedSpan {
 public:
  EmbedSpan(const Embedder& embedder, std::size_t texts)
      : model_(TraceSpan::open() == nullptr ? std::string() : embedder.name()),
        span_("embeddings " + model_, SpanKind::kClient) {
    span_.set("gen_ai.operation.name", "embeddings");
    span_.set("gen_ai.request.model", model_);
    if (texts > 1) span_.set("weft.texts", static_cast<std::int64_t>(texts));
  }
  void fail(std::string_view what) { span_.fail(what); }

 private:
  const std::string model_;
  TraceSpan span_;
};

/// The vector of a text, as a step of the request that waits for it.
inline Result<Vector> traced_embed(Embedder& embedder, std::string_view text, EmbedUse use, const Deadline& deadline) {
  EmbedSpan span(embedder, 1);
  auto vector = embedder.embed(text, use, deadline);
  if (!vector.ok()) span.fail(to_string(vector.error().code));
  return vector;
}

}  // namespace weft
