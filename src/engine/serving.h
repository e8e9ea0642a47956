#pragma once

#include "engine/embedder_model.h"
#include "engine/scope_memory.h"
#include "flow/stream/adsorber.h"

namespace weft {

/// What answers now, all of one embedding model: its vectors of queries, the detector that compares by them, and the
/// indexes that hold them. Replaced as a whole when the model changes; who has begun with one goes on with it and asks
/// at the end whether it still serves. Safe from many threads.
struct Serving {
  Serving(EmbedderModel own, const StreamSettings& stream, Store& store, ModelGate& gate, std::size_t index_bytes)
      : model(std::move(own)),
        adsorber(stream, model.similarity),
        memory(store, gate, index_bytes, model.embedder ? model.name : std::string(), means_of(*model.similarity)) {}

  Embedder* embedder() const { return model.embedder.get(); }  ///< null: words alone

  const EmbedderModel model;
  const Adsorber adsorber;
  ScopeMemory memory;
};

}  // namespace weft
