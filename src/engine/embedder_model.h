#pragma once

#include <memory>
#include <string>

#include "ports/embedding/embedder.h"
#include "ports/index/vector_scan.h"
#include "ports/net/http_client.h"
#include "weft/config.h"

namespace weft {

/// The file of the local embedder that is configured: in the model folder, else among what was installed with the
/// program; where it is in neither, where the model folder would have it.
std::string embedder_file(const Config& config);

/// What to do where it is missing, as a sentence without its stop: an installed program has no Makefile.
std::string embedder_advice();

/// One embedding model with what belongs to it. A value; copies share the model. Safe from many threads.
struct EmbedderModel {
  std::string name;  ///< empty: no embedder is wanted
  std::shared_ptr<Embedder> embedder;  ///< null: it cannot be opened; `failure` says why
  std::shared_ptr<BackgroundEmbedder> loading;  ///< null: ready at once
  std::shared_ptr<const Similarity> similarity;  ///< never null
  std::string failure;

  /// For people: "none", "loading", "ready", "failed: …" or "waiting to try again: …".
  std::string state() const;
  bool ready() const { return loading == nullptr || loading->ready(); }
  Status wait_ready(const Deadline& deadline) const;
};

/// Opens the embedder that is configured; it loads in the background. A model file that is missing is no error.
EmbedderModel open_embedder_model(const Config& config, std::shared_ptr<HttpClient> http);

/// Opens a model that stored vectors came from: only as a file of that name in the model folder, since an endpoint may
/// answer with any model under any name, and its vectors would not fit those that are stored.
EmbedderModel open_former_model(const Config& config, const std::string& name);

/// What texts of a language share in a model's vectors.
LanguageMeans means_of(const Similarity& similarity);

/// The name of the configured embedder, which stored vectors carry and fitted weights are chosen by. A file that is
/// given by its path alone is named by itself: under the default's name, its vectors would be taken for the default's.
std::string embedder_name(const Config& config);

/// The folder in which models are looked up by name.
std::string model_folder(const Config& config);

}  // namespace weft
