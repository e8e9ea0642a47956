#include "engine/embedder_model.h"

#include <cstdlib>
#include <filesystem>

#include "base/log.h"
#include "ports/embedding/embedder.h"
#include "ports/embedding/embedding_models.h"
#include "ports/files/file_system.h"

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

// Whoever asks `stop` to stop ends a load that is under way.
EmbedderFactory factory_for(const Config& config, std::shared_ptr<HttpClient> http, const std::stop_token& stop) {
  const EmbeddingSettings& settings = config.embedding;
  if (settings.provider == EmbeddingProvider::kOpenAi) {
    OpenAiEmbedderOptions options;
    options.url = settings.url;
    options.model = settings.model;
    const std::string& key = config.cognitive_embedding.api_key;
    options.api_key = key.empty() ? from_environment(settings.api_key_env) : key;
    options.timeout = std::chrono::milliseconds(settings.timeout_ms);
    options.query_prefix = given(settings.query_prefix);
    options.passage_prefix = given(settings.passage_prefix);
    return [options, http, stop] { return open_openai_embedder(options, http, Deadline({}, stop).within(kFirstCall)); };
  }
  LlamaEmbedderOptions options;
  options.path = embedder_file(config);
  options.name = settings.model;
  options.contexts = settings.contexts;
  options.threads = settings.threads;
  options.max_tokens = settings.max_tokens;
  options.query_prefix = given(settings.query_prefix);
  options.passage_prefix = given(settings.passage_prefix);
  options.stop = stop;
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

// It waits at its end for a load that is under way, which is told first that nobody needs it any more.
std::shared_ptr<BackgroundEmbedder> load_in_background(const Config& config, std::shared_ptr<HttpClient> http) {
  std::stop_source stop;
  auto factory = factory_for(config, std::move(http), stop.get_token());
  return {new BackgroundEmbedder(config.embedding.model, std::move(factory)),
          [stop](BackgroundEmbedder* embedder) mutable {
            stop.request_stop();
            delete embedder;
          }};
}

// The endpoint of [cognitive.embedding], where there is one, stands in for [embedding].
Config with_cognitive_endpoint(Config config) {
  const CognitiveEmbeddingSettings& endpoint = config.cognitive_embedding;
  if (endpoint.api_url.empty() || config.embedding.provider == EmbeddingProvider::kNone) return config;
  config.embedding.provider = EmbeddingProvider::kOpenAi;
  config.embedding.url = endpoint.api_url;
  config.embedding.model = endpoint.model;
  return config;
}

}  // namespace

std::string EmbedderModel::state() const {
  if (loading) return loading->state();
  if (embedder) return "ready";
  return failure.empty() ? "none" : "failed: " + failure;
}

Status EmbedderModel::wait_ready(const Deadline& deadline) const {
  return loading == nullptr ? Status() : loading->wait_ready(deadline);
}

std::string embedder_name(const Config& config) {
  const EmbeddingSettings& settings = config.embedding;
  const bool by_path = settings.provider == EmbeddingProvider::kLocal && !settings.path.empty();
  if (!by_path || settings.model != EmbeddingSettings().model) return settings.model;
  return std::filesystem::path(settings.path).stem().string();
}

std::string model_folder(const Config& config) {
  if (!config.model_folder.empty()) return config.model_folder;
  if (const std::string cache = from_environment("WEFT_CACHE"); !cache.empty()) return cache + "/models";
  return from_environment("HOME") + "/.cache/weft/models";
}

std::string embedder_file(const Config& config) {
  if (!config.embedding.path.empty()) return config.embedding.path;
  const std::string name = config.embedding.model + ".gguf", file = model_folder(config) + "/" + name;
  std::error_code code;
  if (!config.model_folder.empty() || std::filesystem::exists(file, code)) return file;
  const std::filesystem::path shared = installed_share();
  const std::filesystem::path installed = shared / "models" / name;
  return !shared.empty() && std::filesystem::exists(installed, code) ? installed.string() : file;
}

std::string embedder_advice() {
  return installed_share().empty()
             ? "`make setup` brings it, or set embedding.path"
             : "install Weft again, whose package brings it, or put a model file there or set embedding.path";
}

EmbedderModel open_embedder_model(const Config& given_config, std::shared_ptr<HttpClient> http) {
  Config config = with_cognitive_endpoint(given_config);
  config.embedding.model = embedder_name(config);
  const EmbeddingSettings& settings = config.embedding;
  EmbedderModel model;
  model.similarity = std::make_shared<Similarity>(calibration_for(config));
  if (settings.provider == EmbeddingProvider::kNone) return model;
  model.name = settings.model;
  if (settings.provider == EmbeddingProvider::kLocal && !std::filesystem::exists(embedder_file(config))) {
    model.failure = "no model file " + embedder_file(config) + "; " + embedder_advice();
    return model;
  }
  model.loading = load_in_background(config, std::move(http));
  model.embedder = std::make_shared<CachedEmbedder>(model.loading, static_cast<std::size_t>(settings.cache_entries));
  return model;
}

EmbedderModel open_former_model(const Config& config, const std::string& name) {
  Config former = config;
  former.embedding.provider = EmbeddingProvider::kLocal;
  former.embedding.model = name;
  former.embedding.path.clear();
  former.cognitive_embedding.api_url.clear();
  return open_embedder_model(former, nullptr);
}

LanguageMeans means_of(const Similarity& similarity) {
  const auto english = similarity.mean(Language::kEnglish), chinese = similarity.mean(Language::kChinese);
  return {{std::vector<float>(english.begin(), english.end()), std::vector<float>(chinese.begin(), chinese.end())}};
}

}  // namespace weft
