#include "engine/model_set.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/settings_table.h"
#include "base/threads.h"
#include "model/message_reader.h"
#include "ports/chat/chat_models.h"
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

namespace {

// Fields that are not known yet are taken over.
void complete(ModelTraits& traits, const ModelSettings& settings) {
  if (traits.window == 0) traits.window = settings.window;
  if (traits.output == 0) traits.output = settings.output;
  if (traits.vocabulary.empty()) traits.vocabulary = settings.vocabulary;
  if (traits.system_messages == SystemMessages::kUnknown) traits.system_messages = settings.system_messages;
}

std::int64_t fixed_letters(std::string_view pattern) {
  return std::count_if(pattern.begin(), pattern.end(), [](char c) { return c != '*' && c != '?'; });
}

// A model by its own name first, then the patterns that fit, the closest one first.
ModelTraits configured(const Config& config, const std::string& name) {
  ModelTraits traits;
  for (const auto& [key, settings] : config.models)
    if (name == (settings.model.empty() ? key : settings.model)) complete(traits, settings);
  std::vector<std::pair<std::string_view, const ModelSettings*>> fitting;
  for (const auto& [pattern, settings] : config.catalogue)
    if (fits_model(pattern, name)) fitting.emplace_back(pattern, &settings);
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](const auto& a, const auto& b) { return fixed_letters(a.first) > fixed_letters(b.first); });
  for (const auto& [pattern, settings] : fitting) complete(traits, *settings);
  return traits;
}

}  // namespace

ModelTraits ModelCatalogue::of(const std::string& name) const {
  if (name.empty()) return {};
  ModelLesson lesson;
  {
    auto lessons = lessons_.lock();
    if (const auto at = lessons->find(name); at != lessons->end()) lesson = at->second;
  }
  ModelTraits traits = configured(config_, name);
  ModelSettings listed;
  listed.window = lesson.window;
  listed.output = lesson.output;
  complete(traits, listed);
  const ModelTraits family = traits_of_family(name);
  ModelSettings shipped;
  shipped.window = family.window;
  // The family's reserve is for the family's window.
  shipped.output = traits.window == 0 || family.output * 2 <= traits.window ? family.output : 0;
  shipped.system_messages = family.system_messages;
  complete(traits, shipped);
  if (lesson.most_window > 0)
    traits.window = traits.window == 0 ? lesson.most_window : std::min(traits.window, lesson.most_window);
  if (lesson.system_messages != SystemMessages::kUnknown) traits.system_messages = lesson.system_messages;
  if (traits.system_messages == SystemMessages::kUnknown) traits.system_messages = SystemMessages::kOne;
  return traits;
}

void ModelCatalogue::learn(const std::string& name, const ModelLesson& lesson) {
  if (name.empty()) return;
  auto lessons = lessons_.lock();
  if (lessons->size() >= kMost && !lessons->contains(name)) return;
  ModelLesson& known = (*lessons)[name];
  if (lesson.window > 0) known.window = lesson.window;
  if (lesson.output > 0) known.output = lesson.output;
  if (lesson.most_window > 0) known.most_window = lesson.most_window;
  if (lesson.system_messages != SystemMessages::kUnknown) known.system_messages = lesson.system_messages;
}

namespace {

constexpr double kMsPerSecond = 1000;

void describe(TraceSpan& span, const std::string& model, const ChatRequest& request, const Result<ChatReply>& reply) {
  span.set("gen_ai.operation.name", "chat");
  span.set("gen_ai.request.model", model);
  span.set("gen_ai.request.max_tokens", request.max_tokens);
  if (!reply.ok()) {
    span.set("error.type", std::string(to_string(reply.error().code)));
    return span.fail(to_string(reply.error().code));
  }
  span.set("gen_ai.response.finish_reasons", std::vector<std::string>{reply->finish_reason});
  span.set("gen_ai.usage.input_tokens", reply->prompt_tokens);
  span.set("gen_ai.usage.output_tokens", reply->completion_tokens);
}

}  // namespace

Result<std::unique_ptr<ModelSet>> ModelSet::open(const Config& config, CountedChat::Tell tell) {
  std::unique_ptr<ModelSet> models(new ModelSet());
  models->http_ = std::shared_ptr<HttpClient>(make_http_client());
  models->embedder_ = open_embedder_model(config, models->http_);
  if (!models->embedder_.failure.empty())
    log_warning("embedder.missing", models->embedder_.failure + "; words alone are searched");
  WEFT_CHECK(models->open_chats(config, tell));
  ChatModel* main = models->chat("main");
  models->folder_ = model_folder(config);
  models->fallback_ = config.context.token_mode;
  models->tokens_ = std::make_unique<TokenCounter>(
      models->fallback_, main == nullptr ? std::function<std::int64_t(std::string_view)>()
                                         : [main](std::string_view text) { return main->count_tokens(text); });
  // Without an upstream the main model answers, whatever name a client calls.
  if (config.proxy.upstream.empty()) (*models->counters_.lock())[""] = std::make_unique<TokenCounter>(*models->tokens_);
  log_info("tokens.mode", "token counts: " + std::string(to_string(models->tokens_->mode())));
  return models;
}

ModelSet::~ModelSet() = default;

const TokenCounter& ModelSet::tokens_for(const std::string& model, const std::string& vocabulary) {
  const ChatModel* main = chat("main");
  if (model.empty() || (main != nullptr && main->name() == model)) return *tokens_;
  std::string path = vocabulary;
  if (const auto known = vocabulary_of(model); path.empty() && !known.empty())
    path = folder_ + "/vocab/" + std::string(known) + ".gguf";
  std::error_code none;
  if (path.empty() || !std::filesystem::exists(path, none)) path.clear();
  auto counters = counters_.lock();
  auto& counter = (*counters)[path];
  if (counter != nullptr) return *counter;
  std::function<std::int64_t(std::string_view)> exact;
  if (!path.empty())
    exact = [file = std::make_shared<Vocabulary>(path)](std::string_view text) { return file->count(text); };
  counter = std::make_unique<TokenCounter>(fallback_, std::move(exact));
  return *counter;
}

Status ModelSet::open_chats(const Config& config, const CountedChat::Tell& tell) {
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
  const auto count = [&](const std::string& role, const std::string& name) {
    counted_[role] = std::make_unique<CountedChat>(*chats_.at(name), role, tell);
  };
  for (const auto& [role, name] : config.roles) count(role, name);
  std::vector<std::string> others = roles_without_model(config);
  others.insert(others.end(), {"fast", "historian", "planner"});
  if (const auto main = config.roles.find("main"); main != config.roles.end())
    for (const std::string& role : others)
      if (!config.roles.contains(role)) count(role, main->second);
  for (const auto& [role, near] : mistyped_roles(config))
    log_warning("models.role", "roles." + role + ": only tasks that name it use it; did you mean roles." + near + "?");
  for (const std::string& role : roles_without_model(config))
    log_warning("models.role", "agent.models names the role \"" + role + "\", which no model has: main answers");
  if (const std::string told = told_roles(config); !told.empty()) log_info("models.roles", told);
  return {};
}

ChatModel* ModelSet::chat(const std::string& role) const {
  for (const std::string& name : {role, std::string("main")})
    if (const auto at = counted_.find(name); at != counted_.end()) return at->second.get();
  return nullptr;
}

std::string ModelSet::chat_name() const {
  const ChatModel* main = chat("main");
  return main == nullptr ? "none" : main->name();
}

Result<ChatReply> CountedChat::complete(const ChatRequest& request, const Deadline& deadline,
                                        const std::function<bool(std::string_view)>& on_text) {
  const Stopwatch clock;
  double first = -1;
  const auto watched = [&](std::string_view text) {
    if (first < 0) first = clock.ms() / kMsPerSecond;
    return on_text(text);
  };
  const std::string model = TraceSpan::open() == nullptr ? std::string() : model_.name();
  TraceSpan span("chat " + model, SpanKind::kClient);
  auto reply = guarded("the model", [&] {
    return model_.complete(request, deadline, on_text ? std::function<bool(std::string_view)>(watched) : on_text);
  });
  if (span.on()) describe(span, model, request, reply);
  if (tell_) account(request, reply, clock.ms() / kMsPerSecond, first);
  return reply;
}

void CountedChat::account(const ChatRequest& request, const Result<ChatReply>& reply, double seconds,
                          double first) const {
  const Account& whose = CallContext::current().account;
  ModelCall call{whose.scope, whose.key, role_, model_.name()};
  call.seconds = seconds;
  call.first_token_seconds = first;
  if (!reply.ok()) {
    call.outcome = to_string(reply.error().code);
    call.input_tokens = call.output_tokens = 0;
    return tell_(call);
  }
  // A server that counts nothing says 0 or -1.
  std::string asked;
  call.input_tokens = reply->prompt_tokens > 0 ? reply->prompt_tokens : -1;
  if (call.input_tokens < 0)
    for (const Message& message : request.messages) asked += counted_text(message) + "\n";
  call.output_tokens = reply->completion_tokens > 0 ? reply->completion_tokens : -1;
  call.input_text = asked;
  call.output_text = reply->message.content;
  tell_(call);
}

}  // namespace weft
