#include "engine/model_set.h"

#include <cstdlib>
#include <filesystem>

#include "base/log.h"
#include "engine/open_chat.h"
#include "ports/embedding/background_embedder.h"
#include "ports/embedding/cached_embedder.h"
#include "ports/embedding/llamacpp_embedder.h"
#include "ports/embedding/openai_embedder.h"
#include "ports/files/file.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kFirstCall{30};  // of an endpoint that is asked for the length of its vectors

std::string from_environment(const std::string& name) {
  const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<std::string> given(const std::string& prefix) {
  return prefix.empty() ? std::nullopt : std::optional(prefix);
}

std::string embedder_path(const Config& config) {
  if (!config.embedding.path.empty()) return config.embedding.path;
  return model_folder(config) + "/" + config.embedding.model + ".gguf";
}

EmbedderFactory factory_for(const Config& config, std::shared_ptr<HttpClient> http) {
  const EmbeddingSettings& settings = config.embedding;
  if (settings.provider == "openai") {
    OpenAiEmbedderOptions options;
    options.url = settings.url;
    options.model = settings.model;
    options.api_key = from_environment(settings.api_key_env);
    options.timeout = std::chrono::milliseconds(settings.timeout_ms);
    options.query_prefix = given(settings.query_prefix);
    options.passage_prefix = given(settings.passage_prefix);
    return [options, http] { return open_openai_embedder(options, http, Deadline::after(kFirstCall)); };
  }
  LlamaEmbedderOptions options;
  options.path = embedder_path(config);
  options.name = settings.model;
  options.contexts = settings.contexts;
  options.threads = settings.threads;
  options.max_tokens = settings.max_tokens;
  options.query_prefix = given(settings.query_prefix);
  options.passage_prefix = given(settings.passage_prefix);
  return [options] { return open_llamacpp_embedder(options); };
}

Similarity calibration_for(const Config& config) {
  if (!config.stream.calibrated) return Similarity::raw();
  const std::string file = model_folder(config) + "/" + config.embedding.model + ".calibration.json";
  if (auto text = read_file(file); text.ok()) {
    auto own = Similarity::parse(*text);
    if (own.ok()) return std::move(own).value();
    log_warning("calibration.broken", file + ": " + own.error().message);
  }
  return Similarity::for_embedder(config.embedding.model);
}

}  // namespace

std::string model_folder(const Config& config) {
  if (!config.model_folder.empty()) return config.model_folder;
  if (const std::string cache = from_environment("WEFT_CACHE"); !cache.empty()) return cache + "/models";
  return from_environment("HOME") + "/.cache/weft/models";
}

Result<std::unique_ptr<ModelSet>> ModelSet::open(const Config& config) {
  std::unique_ptr<ModelSet> models(new ModelSet());
  models->http_ = std::shared_ptr<HttpClient>(make_http_client());
  models->open_embedder(config);
  WEFT_CHECK(models->open_chats(config));
  models->similarity_ = std::make_shared<Similarity>(calibration_for(config));
  ChatModel* main = models->chat("main");
  const TokenMode fallback = config.context.token_mode == "chars4" ? TokenMode::kChars4 : TokenMode::kScript;
  models->tokens_ = std::make_unique<TokenCounter>(
      fallback, main == nullptr ? std::function<std::int64_t(std::string_view)>()
                                : [main](std::string_view text) { return main->count_tokens(text); });
  log_info("tokens.mode", "token counts: " + std::string(to_string(models->tokens_->mode())));
  return models;
}

ModelSet::~ModelSet() = default;

void ModelSet::open_embedder(const Config& config) {
  const EmbeddingSettings& settings = config.embedding;
  if (settings.provider == "none") return;
  if (settings.provider == "local" && !std::filesystem::exists(embedder_path(config))) {
    embedder_failure_ = "no model file " + embedder_path(config) + "; `make setup` brings it, or set embedding.path";
    log_warning("embedder.missing", embedder_failure_ + "; words alone are searched");
    return;
  }
  auto background = std::make_shared<BackgroundEmbedder>(settings.model, factory_for(config, http_));
  background_ = background.get();
  embedder_ = std::make_unique<CachedEmbedder>(std::move(background), static_cast<std::size_t>(settings.cache_entries));
}

Status ModelSet::open_chats(const Config& config) {
  for (const auto& [name, settings] : config.models) {
    WEFT_TRY(chats_[name], open_chat(name, settings, model_folder(config), http_));
  }
  for (const auto& [role, name] : config.roles) {
    if (!chats_.contains(name)) {
      return invalid_argument(
          "configuration: the role \"" + role + "\" names the model \"" + name + "\", which is not defined",
          "add a table [models." + name + "] to weft.toml");
    }
  }
  roles_ = config.roles;
  return {};
}

std::string ModelSet::embedder_name() const { return embedder_ ? embedder_->name() : "none"; }

std::string ModelSet::embedder_state() const {
  if (background_ != nullptr) return background_->state();
  return embedder_failure_.empty() ? "none" : "failed: " + embedder_failure_;
}

bool ModelSet::embedder_ready() const { return background_ != nullptr && background_->ready(); }

Status ModelSet::wait_ready(const Deadline& deadline) const {
  return background_ == nullptr ? Status() : background_->wait_ready(deadline);
}

ChatModel* ModelSet::chat(const std::string& role) const {
  for (const std::string& name : {role, std::string("main")}) {
    if (const auto at = roles_.find(name); at != roles_.end()) return chats_.at(at->second).get();
  }
  return nullptr;
}

std::string ModelSet::chat_name() const {
  const ChatModel* main = chat("main");
  return main == nullptr ? "none" : main->name();
}

}  // namespace weft
