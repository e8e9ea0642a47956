#include "engine/open_chat.h"

#include <cstdlib>

#include "ports/chat/llamacpp_chat.h"
#include "ports/chat/openai_chat.h"
#include "ports/chat/vocabulary.h"

namespace weft {
namespace {

std::shared_ptr<const Vocabulary> vocabulary_for(const ModelSettings& settings, const std::string& model_folder) {
  if (!settings.vocabulary.empty()) return std::make_shared<Vocabulary>(settings.vocabulary);
  const std::string_view known = vocabulary_of(settings.model);
  if (known.empty()) return nullptr;
  return std::make_shared<Vocabulary>(model_folder + "/vocab/" + std::string(known) + ".gguf");
}

}  // namespace

Result<std::unique_ptr<ChatModel>> open_chat(const std::string& name, const ModelSettings& settings,
                                             const std::string& model_folder, std::shared_ptr<HttpClient> http) {
  if (settings.provider == ModelProvider::kLocal) {
    LlamaChatOptions options;
    options.path = settings.path.empty() ? model_folder + "/" + settings.model + ".gguf" : settings.path;
    options.name = settings.model.empty() ? name : settings.model;
    options.window = settings.window;
    options.retries = settings.retries;
    return open_llamacpp_chat(options);
  }
  if (settings.url.empty())
    return invalid_argument("models." + name + ".url is missing", "give the endpoint's base URL, with /v1");
  OpenAiChatOptions options;
  options.name = settings.model.empty() ? name : settings.model;
  options.url = settings.url;
  options.model = settings.model;
  const char* key = settings.api_key_env.empty() ? nullptr : std::getenv(settings.api_key_env.c_str());
  if (key != nullptr) options.api_key = key;
  options.window = settings.window;
  options.timeout = std::chrono::milliseconds(settings.timeout_ms);
  options.retry.retries = settings.retries;
  options.vocabulary = vocabulary_for(settings, model_folder);
  return make_openai_chat(std::move(options), std::move(http));
}

}  // namespace weft
