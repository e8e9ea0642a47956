#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/threads.h"
#include "engine/embedder_model.h"
#include "model/model_families.h"
#include "ports/chat/chat_model.h"
#include "ports/net/http_client.h"
#include "text/token_counter.h"
#include "weft/choices.h"
#include "weft/config.h"
#include "weft/status.h"

namespace weft {

/// Opens the chat model of one `[models.NAME]` table. A local model is loaded here; a remote one is not called.
Result<std::unique_ptr<ChatModel>> open_chat(const std::string& name, const ModelSettings& settings,
                                             const std::string& model_folder, std::shared_ptr<HttpClient> http);

/// What is known of the models that are called, by name: what a refusal taught, then weft.toml, then what the upstream
/// lists, then the shipped families. Safe from any thread.
class ModelCatalogue {
 public:
  explicit ModelCatalogue(const Config& config) : config_(config) {}

  ModelTraits of(const std::string& name) const;
  void learn(const std::string& name, const ModelLesson& lesson);

 private:
  static constexpr std::size_t kMost = 4096;  ///< names that are kept; they come from outside

  const Config& config_;
  mutable Sync<std::map<std::string, ModelLesson>> lessons_;
};

/// A chat model in one role, whose calls are accounted for: to the account of the `CallContext`. The model must outlive
/// it. Safe from many threads.
class CountedChat final : public ChatModel {
 public:
  /// Is told of each call when it is over, on the calling thread.
  using Tell = std::function<void(const ModelCall& call)>;

  /// `tell` may be empty: then nothing is told.
  CountedChat(ChatModel& model, std::string role, Tell tell)
      : model_(model), role_(std::move(role)), tell_(std::move(tell)) {}

  std::string name() const override { return model_.name(); }
  std::int64_t window() const override { return model_.window(); }
  std::int64_t count_tokens(std::string_view text) const override { return model_.count_tokens(text); }
  StateSpace state_space() const override { return model_.state_space(); }
  Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline,
                             const std::function<bool(std::string_view)>& on_text = {}) override;

 private:
  void account(const ChatRequest& request, const Result<ChatReply>& reply, double seconds, double first) const;

  ChatModel& model_;
  const std::string role_;
  const Tell tell_;
};

/// The models that the configuration names, opened: the only place that knows which implementation stands behind a
/// contract. Safe from many threads.
class ModelSet {
 public:
  /// Opens what can be opened. A model file that is missing is no error: the engine then works by words, and
  /// the embedder's `state` says why.
  /// `tell` is called with every call of a chat model, when it is over; it must outlive the models.
  static Result<std::unique_ptr<ModelSet>> open(const Config& config, CountedChat::Tell tell = {});
  ~ModelSet();

  /// The configured embedder.
  const EmbedderModel& embedder_model() const { return embedder_; }
  Embedder* embedder() const { return embedder_.embedder.get(); }  ///< null where there is none
  Status wait_ready(const Deadline& deadline) const { return embedder_.wait_ready(deadline); }

  /// The model of a role, else that of "main", else null. Every role of the configuration has an entry of its own.
  ChatModel* chat(const std::string& role) const;
  /// The models of each role.
  const std::map<std::string, std::unique_ptr<CountedChat>>& counted() const { return counted_; }
  std::string chat_name() const;

  /// Calibration of the configured embedder, or raw cosines where the settings want them.
  std::shared_ptr<const Similarity> similarity() const { return embedder_.similarity; }
  const TokenCounter& tokens() const { return *tokens_; }
  /// The counter of a model by its name, or by a vocabulary's file where one is given; as `tokens` where neither is
  /// known.
  const TokenCounter& tokens_for(const std::string& model, const std::string& vocabulary);
  HttpClient& http() const { return *http_; }

 private:
  ModelSet() = default;
  Status open_chats(const Config& config, const CountedChat::Tell& tell);

  std::shared_ptr<HttpClient> http_;
  EmbedderModel embedder_;
  std::map<std::string, std::unique_ptr<ChatModel>> chats_;
  std::map<std::string, std::unique_ptr<CountedChat>> counted_;  ///< by role
  std::unique_ptr<TokenCounter> tokens_;
  TokenMode fallback_ = TokenMode::kScript;
  std::string folder_;
  Sync<std::map<std::string, std::unique_ptr<TokenCounter>>> counters_;  ///< by the file of the vocabulary
};

}  // namespace weft
