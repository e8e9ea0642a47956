#pragma once

#include <string>
#include <string_view>

#include "base/trace.h"
#include "ports/embedding/embedder.h"

namespace weft {

/// The vector of a text, as a step of the request that waits for it.
inline Result<Vector> traced_embed(Embedder& embedder, std::string_view text, EmbedUse use, const Deadline& deadline) {
  if (TraceSpan::open() == nullptr) return embedder.embed(text, use, deadline);
  const std::string model = embedder.name();
  TraceSpan span("embeddings " + model, SpanKind::kClient);
  span.set("gen_ai.operation.name", "embeddings");
  span.set("gen_ai.request.model", model);
  auto vector = embedder.embed(text, use, deadline);
  if (!vector.ok()) span.fail(to_string(vector.error().code));
  return vector;
}

}  // namespace weft
