#pragma once

#include <map>
#include <memory>
#include <string>

#include "ports/chat/chat_model.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/similarity.h"
#include "ports/net/http_client.h"
#include "text/token_counter.h"
#include "weft/config.h"

namespace weft {

class BackgroundEmbedder;

/// The models that the configuration names, opened: the only place that knows which implementation stands behind a
/// contract. Safe from many threads.
class ModelSet {
 public:
  /// Opens what can be opened. A model file that is missing is no error: the engine then works by words, and
  /// `embedder_state` says why.
  static Result<std::unique_ptr<ModelSet>> open(const Config& config);
  ~ModelSet();

  /// Null where no embedder is configured.
  Embedder* embedder() const { return embedder_.get(); }
  std::string embedder_name() const;
  std::string embedder_state() const;
  bool embedder_ready() const;
  Status wait_ready(const Deadline& deadline) const;

  /// The model of a role ("main", "fast", "historian"), else that of "main", else null.
  ChatModel* chat(const std::string& role) const;
  std::string chat_name() const;

  /// Calibration of the configured embedder, or raw cosines where the settings want them.
  std::shared_ptr<const Similarity> similarity() const { return similarity_; }
  const TokenCounter& tokens() const { return *tokens_; }
  HttpClient& http() const { return *http_; }

 private:
  ModelSet() = default;
  void open_embedder(const Config& config);
  Status open_chats(const Config& config);

  std::shared_ptr<HttpClient> http_;
  std::unique_ptr<Embedder> embedder_;
  BackgroundEmbedder* background_ = nullptr;
  std::string embedder_failure_;
  std::shared_ptr<const Similarity> similarity_;
  std::map<std::string, std::unique_ptr<ChatModel>> chats_;
  std::map<std::string, std::string> roles_;
  std::unique_ptr<TokenCounter> tokens_;
};

/// The folder in which models are looked up by name.
std::string model_folder(const Config& config);

}  // namespace weft
