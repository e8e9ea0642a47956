#include "ports/chat/chat_models.h"

#include <llama.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "base/threads.h"
#include "ports/embedding/embedder.h"
#include "ports/llama/llama_engine.h"
#include "ports/net/http_client.h"
#include "ports/net/openai_wire.h"
#include "text/json.h"
#include "text/tool_arguments.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Tokens = std::vector<llama_token>;
using OnText = std::function<bool(std::string_view)>;

constexpr std::int64_t kDefaultWindow = 8192;
constexpr std::size_t kBatch = 512;
constexpr double kRetryTemperature = 0.7;  // the same question at temperature 0 would get the same answer

// How many bytes at the end are the beginning of a character that is not complete yet.
std::size_t incomplete_tail(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if (c < 0x80) return 0;
    if (c >= 0xC0) return back < (c >= 0xF0 ? 4U : c >= 0xE0 ? 3U : 2U) ? back : 0;
  }
  return 0;
}

class LlamaChat final : public ChatModel {
 public:
  LlamaChat(llama::Model model, llama::ChatTemplate chat_template, LlamaChatOptions options)
      : model_(std::move(model)),
        vocab_(llama_model_get_vocab(model_.get())),
        template_(std::move(chat_template)),
        options_(std::move(options)) {}

  Status start() {
    llama_context_params params = llama_context_default_params();
    params.n_ctx = static_cast<std::uint32_t>(options_.window);
    params.n_batch = params.n_ubatch = static_cast<std::uint32_t>(kBatch);
    params.n_seq_max = 1;
    params.n_threads = params.n_threads_batch = static_cast<std::int32_t>(options_.threads);
    params.no_perf = true;
    params.embeddings = true;  // hidden states, beside the logits
    params.pooling_type = LLAMA_POOLING_TYPE_NONE;
    context_.reset(llama_init_from_model(model_.get(), params));
    if (!context_)
      return unavailable("no memory for a window of " + std::to_string(options_.window) + " tokens",
                         "set a smaller window");
    llama_set_abort_callback(
        context_.get(), [](void* self) { return static_cast<LlamaChat*>(self)->must_stop(); }, this);
    return {};
  }

  std::string name() const override { return options_.name; }
  std::int64_t window() const override { return options_.window; }
  StateSpace state_space() const override {
    return {llama::trained_name(model_.get()), static_cast<std::size_t>(llama_model_n_embd_out(model_.get()))};
  }

  std::int64_t count_tokens(std::string_view text) const override {
    return static_cast<std::int64_t>(llama::tokenize(vocab_, text, false, false).size());
  }

  Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline, const OnText& on_text) override {
    if (!request.tools.empty())
      return invalid_argument("the local model " + options_.name + " is not offered tools",
                              "use an endpoint for tools");
    std::optional<SchemaCheck> check;
    std::string grammar;
    if (!request.json_schema.empty()) {
      WEFT_TRY(check, SchemaCheck::compile(request.json_schema));
      WEFT_TRY(grammar, llama::json_grammar(request.json_schema));
    }
    WEFT_TRY(const Tokens prompt, prompt_of(request.messages));
    WEFT_CHECK(take_turn(deadline));
    const AtEnd over([this] {
      deadline_ = nullptr;
      {
        const std::lock_guard lock(mutex_);
        busy_ = false;
      }
      free_.notify_one();
    });
    deadline_ = &deadline;
    return request.wants_state ? state_behind(prompt, request.answer_start)
                               : answer(request, prompt, grammar, check, on_text);
  }

 private:
  bool must_stop() const { return deadline_ != nullptr && deadline_->passed(); }

  Result<Tokens> prompt_of(const std::vector<Message>& messages) const {
    WEFT_TRY(const std::vector<llama::PromptPart> parts, template_.render(messages));
    Tokens tokens;
    for (const llama::PromptPart& part : parts) {
      const Tokens more = llama::tokenize(vocab_, part.text, false, !part.is_input);
      tokens.insert(tokens.end(), more.begin(), more.end());
    }
    const llama_token bos = llama_vocab_bos(vocab_);
    if (llama_vocab_get_add_bos(vocab_) && (tokens.empty() || tokens.front() != bos))
      tokens.insert(tokens.begin(), bos);
    if (static_cast<std::int64_t>(tokens.size()) < options_.window) return tokens;
    return too_large("the prompt has " + std::to_string(tokens.size()) + " tokens, the window of " + options_.name +
                     " " + std::to_string(options_.window));
  }

  Status take_turn(const Deadline& deadline) {
    std::unique_lock lock(mutex_);
    const auto is_free = [this] { return !busy_; };
    const bool mine = deadline.until() ? free_.wait_until(lock, deadline.cancel(), *deadline.until(), is_free)
                                       : free_.wait(lock, deadline.cancel(), is_free);
    if (!mine || deadline.passed()) return deadline_error(deadline, "the answer of " + options_.name);
    busy_ = true;
    return {};
  }

  Result<ChatReply> answer(const ChatRequest& request, const Tokens& prompt, const std::string& grammar,
                           const std::optional<SchemaCheck>& check, const OnText& on_text) {
    double temperature = request.temperature;
    for (int attempt = 1;; ++attempt) {
      WEFT_TRY(llama::TokenSampler sampler,
               llama::TokenSampler::make(vocab_, grammar, temperature,
                                         request.seed + static_cast<std::uint64_t>(attempt - 1)));
      WEFT_TRY(ChatReply reply, generate(prompt, sampler, request.max_tokens, on_text));
      reply.attempts = attempt;
      if (!check) return reply;
      const Status valid = check->check(reply.message.content);
      if (valid.ok()) return reply;
      // What was streamed cannot be taken back.
      if (on_text || attempt > options_.retries)
        return unavailable(options_.name + " gave no valid answer: " + valid.error().message);
      temperature = std::max(temperature, kRetryTemperature);
    }
  }

  Result<ChatReply> generate(const Tokens& prompt, llama::TokenSampler& sampler, std::int64_t max_tokens,
                             const OnText& on_text) {
    WEFT_CHECK(read_prompt(prompt));
    ChatReply reply;
    reply.message.role = Role::kAssistant;
    reply.prompt_tokens = static_cast<std::int64_t>(prompt.size());
    reply.finish_reason = "length";
    std::string& text = reply.message.content;
    std::size_t told = 0;
    const std::int64_t room = options_.window - reply.prompt_tokens;
    while (reply.completion_tokens < std::min(max_tokens, room)) {
      WEFT_TRY(const llama_token token, sampler.next(llama_get_logits_ith(context_.get(), -1)));
      if (llama_vocab_is_eog(vocab_, token)) {
        reply.finish_reason = "stop";
        break;
      }
      ++reply.completion_tokens;
      text += llama::piece_of(vocab_, token);
      const std::size_t whole = text.size() - incomplete_tail(text);
      if (on_text && whole > told && !on_text(std::string_view(text).substr(told, whole - told))) {
        return cancelled("the answer was not wanted any more");
      }
      told = whole;
      if (reply.completion_tokens < std::min(max_tokens, room)) WEFT_CHECK(decode({token}));
    }
    text.resize(text.size() - incomplete_tail(text));
    return reply;
  }

  Result<ChatReply> state_behind(Tokens prompt, const std::string& start) {
    const Tokens said = llama::tokenize(vocab_, start, false, false);
    prompt.insert(prompt.end(), said.begin(), said.end());
    if (std::ssize(prompt) > options_.window)
      return too_large("prompt and beginning have more tokens than the window of " + options_.name);
    WEFT_CHECK(read_prompt(prompt));
    const float* state = llama_get_embeddings_ith(context_.get(), -1);
    if (state == nullptr) return unavailable(options_.name + " gave no state");
    ChatReply reply;
    reply.message.role = Role::kAssistant;
    reply.prompt_tokens = std::ssize(prompt);
    reply.finish_reason = "stop";
    reply.state.assign(state, state + state_space().dimensions);
    return reply;
  }

  // Computes the prompt from where it differs from what the context holds.
  Status read_prompt(const Tokens& prompt) {
    const auto differs = std::mismatch(held_.begin(), held_.end(), prompt.begin(), prompt.end());
    auto same = static_cast<std::size_t>(differs.second - prompt.begin());
    same = std::min(same, prompt.size() - 1);  // the last token's logits are wanted
    llama_memory_t memory = llama_get_memory(context_.get());
    if (!llama_memory_seq_rm(memory, 0, static_cast<llama_pos>(same), -1)) {
      llama_memory_clear(memory, true);
      same = 0;
    }
    held_.resize(same);
    for (std::size_t at = same; at < prompt.size(); at += kBatch) {
      const std::size_t end = std::min(at + kBatch, prompt.size());
      WEFT_CHECK(decode(
          Tokens(prompt.begin() + static_cast<std::ptrdiff_t>(at), prompt.begin() + static_cast<std::ptrdiff_t>(end))));
    }
    return {};
  }

  Status decode(Tokens tokens) {
    if (must_stop()) return deadline_error(*deadline_, "the answer of " + options_.name);
    int status = -1;
    try {
      status =
          llama_decode(context_.get(), llama_batch_get_one(tokens.data(), static_cast<std::int32_t>(tokens.size())));
    } catch (const std::exception&) {
      status = -1;
    }
    if (status == 0) {
      held_.insert(held_.end(), tokens.begin(), tokens.end());
      return {};
    }
    // A part of the batch may have been stored.
    llama_memory_clear(llama_get_memory(context_.get()), true);
    held_.clear();
    if (must_stop()) return deadline_error(*deadline_, "the answer of " + options_.name);
    return internal(options_.name + " failed with status " + std::to_string(status));
  }

  llama::Model model_;
  const llama_vocab* vocab_;
  llama::ChatTemplate template_;
  LlamaChatOptions options_;
  std::mutex mutex_;
  std::condition_variable_any free_;
  bool busy_ = false;
  // What follows belongs to the caller whose turn it is.
  llama::Context context_;
  Tokens held_;  // what the context has read
  const Deadline* deadline_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<ChatModel>> open_llamacpp_chat(const LlamaChatOptions& options) {
  WEFT_TRY(llama::Model model, llama::load_model(options.path, llama::Load::kAll));
  const char* source = llama_model_chat_template(model.get(), nullptr);
  if (source == nullptr)
    return invalid_argument("'" + options.path + "' has no chat template", "choose an instruct model");
  const llama_vocab* vocab = llama_model_get_vocab(model.get());
  const auto text_of = [vocab](llama_token token) {
    return token < 0 ? std::string() : std::string(llama_vocab_get_text(vocab, token));
  };
  WEFT_TRY(auto chat_template,
           llama::ChatTemplate::compile(source, text_of(llama_vocab_bos(vocab)), text_of(llama_vocab_eos(vocab))));
  LlamaChatOptions settled = options;
  if (settled.name.empty()) settled.name = std::filesystem::path(options.path).stem().string();
  const std::int64_t trained = llama_model_n_ctx_train(model.get());
  settled.window = options.window > 0 ? std::min(options.window, trained) : std::min(trained, kDefaultWindow);
  if (settled.threads <= 0) settled.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency() / 2));
  auto chat = std::make_unique<LlamaChat>(std::move(model), std::move(chat_template), std::move(settled));
  WEFT_CHECK(chat->start());
  return std::unique_ptr<ChatModel>(std::move(chat));
}

}  // namespace weft

namespace weft::openai {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxToolCalls = 256;

json message_json(const Message& message) {
  json out = {{"role", to_string(message.role)}, {"content", message.content}};
  if (!message.name.empty()) out["name"] = message.name;
  if (!message.tool_call_id.empty()) out["tool_call_id"] = message.tool_call_id;
  if (message.tool_calls.empty()) return out;
  if (message.content.empty()) out["content"] = nullptr;
  for (const ToolCall& call : message.tool_calls) {
    out["tool_calls"].push_back(
        {{"id", call.id}, {"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return out;
}

// The models that think first take neither a temperature nor "max_tokens".
bool is_thinking_model(std::string_view model) {
  for (const std::string_view family : {"o1", "o3", "o4", "gpt-5"}) {
    if (model.starts_with(family) &&
        (model.size() == family.size() || model[family.size()] == '-' || model[family.size()] == '.'))
      return true;
  }
  return false;
}

void ask_for_schema(json& body, const json& schema, SchemaForm form) {
  if (form == SchemaForm::kJsonSchema) {
    body["response_format"] = {{"type", "json_schema"},
                               {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", schema}}}};
    return;
  }
  body["response_format"] = {{"type", "json_object"}};
  const std::string wish = "Answer only with one JSON object that matches this JSON schema:\n" +
                           schema.dump(-1, ' ', false, json::error_handler_t::replace);
  body["messages"].push_back({{"role", "system"}, {"content", wish}});
}

// A member's text; empty where it is missing, null or something else. Endpoints differ in what they leave out.
std::string text_at(const json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t count_at(const json& object, const char* key) {
  if (!object.is_object()) return 0;
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string reasoning_of(const json& message) {
  std::string text = text_at(message, "reasoning_content");
  return text.empty() ? text_at(message, "reasoning") : text;
}

void read_usage(const json& answer, ChatReply& reply) {
  const auto usage = answer.find("usage");
  if (usage == answer.end() || !usage->is_object()) return;
  reply.prompt_tokens = count_at(*usage, "prompt_tokens");
  reply.completion_tokens = count_at(*usage, "completion_tokens");
}

// The first of "choices", or null.
const json& first_choice(const json& answer) {
  static const json kNone;
  const auto choices = answer.find("choices");
  if (choices == answer.end() || !choices->is_array() || choices->empty() || !(*choices)[0].is_object()) return kNone;
  return (*choices)[0];
}

// Arguments come as a text, from some endpoints as an object.
std::string arguments_of(const json& function) {
  const auto found = function.find("arguments");
  if (found == function.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump(-1, ' ', false, json::error_handler_t::replace);
}

// A piece of a call: the first names it, all bring arguments. Some endpoints leave the index out and send calls whole.
bool add_call(std::vector<ToolCall>& calls, const json& piece) {
  if (!piece.is_object()) return true;
  const std::string id = text_at(piece, "id");
  std::size_t at = calls.empty() || !id.empty() ? calls.size() : calls.size() - 1;
  const auto index = piece.find("index");
  if (index != piece.end() && index->is_number_unsigned()) at = index->get<std::size_t>();
  if (at >= kMaxToolCalls) return false;
  if (at >= calls.size()) calls.resize(at + 1);
  if (!id.empty()) calls[at].id = id;
  const auto function = piece.find("function");
  if (function == piece.end() || !function->is_object()) return true;
  if (calls[at].name.empty()) calls[at].name = text_at(*function, "name");
  calls[at].arguments += arguments_of(*function);
  return true;
}

void drop_empty_calls(ChatReply& reply) {  // an index that was skipped
  std::erase_if(reply.message.tool_calls, [](const ToolCall& call) { return call.name.empty(); });
}

}  // namespace

Result<std::string> chat_body(const ChatRequest& request, const std::string& model, bool streamed, SchemaForm form) {
  json body = {{"model", model}, {"messages", json::array()}};
  for (const Message& message : request.messages) body["messages"].push_back(message_json(message));
  if (is_thinking_model(model)) {
    body["max_completion_tokens"] = request.max_tokens;
  } else {
    body["max_tokens"] = request.max_tokens;
    body["temperature"] = request.temperature;
  }
  if (request.seed != 0) body["seed"] = request.seed;
  for (const std::string& tool : request.tools) {
    json parsed = lenient_json<json>(tool);
    if (!parsed.is_object()) return invalid_argument("a tool of the request is not a JSON object");
    body["tools"].push_back(std::move(parsed));
  }
  if (!request.json_schema.empty()) {
    const json schema = lenient_json<json>(request.json_schema);
    if (!schema.is_object()) return invalid_argument("the answer's schema is not a JSON object");
    ask_for_schema(body, schema, form);
  }
  if (streamed) {
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
  }
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ChatReply> read_chat_answer(std::string_view body) {
  const json answer = lenient_json<json>(body);
  if (!answer.is_object()) return unavailable("the answer is not JSON: " + error_text(body));
  const json& choice = first_choice(answer);
  const auto message = choice.find("message");
  if (!choice.is_object() || message == choice.end() || !message->is_object()) {
    return unavailable("the answer has no message: " + error_text(body));
  }
  ChatReply reply;
  reply.message.role = Role::kAssistant;
  reply.message.content = text_at(*message, "content");
  reply.message.reasoning = reasoning_of(*message);
  reply.finish_reason = text_at(choice, "finish_reason");
  const auto calls = message->find("tool_calls");
  if (calls != message->end() && calls->is_array()) {
    for (json piece : *calls) {
      if (piece.is_object()) piece["index"] = reply.message.tool_calls.size();
      if (!add_call(reply.message.tool_calls, piece)) return unavailable("the answer calls too many tools");
    }
  }
  drop_empty_calls(reply);
  read_usage(answer, reply);
  return reply;
}

bool ChatAnswerBuilder::fail(Error error) {
  status_ = std::move(error);
  return false;
}

bool ChatAnswerBuilder::take(const std::string& data, const std::function<bool(std::string_view)>& on_text) {
  if (done_) return true;
  if (data == "[DONE]") return done_ = true;
  const json event = lenient_json<json>(data);
  if (!event.is_object()) return fail(unavailable("the stream is broken: " + error_text(data)));
  if (const auto error = event.find("error"); error != event.end() && !error->is_null()) {
    return fail(unavailable("the model server broke off: " + error_text(data)));
  }
  read_usage(event, reply_);
  const json& choice = first_choice(event);
  if (!choice.is_object()) return true;  // the last event has only the usage
  if (std::string reason = text_at(choice, "finish_reason"); !reason.empty()) reply_.finish_reason = std::move(reason);
  const auto delta = choice.find("delta");
  if (delta == choice.end() || !delta->is_object()) return true;
  reply_.message.reasoning += reasoning_of(*delta);
  if (const auto calls = delta->find("tool_calls"); calls != delta->end() && calls->is_array()) {
    for (const json& piece : *calls) {
      if (!add_call(reply_.message.tool_calls, piece)) return fail(unavailable("the answer calls too many tools"));
    }
  }
  const std::string text = text_at(*delta, "content");
  reply_.message.content += text;
  if (!text.empty() && on_text && !on_text(text)) return fail(cancelled("the answer was not wanted any more"));
  return true;
}

ChatReply ChatAnswerBuilder::finish() {
  reply_.message.role = Role::kAssistant;
  drop_empty_calls(reply_);
  if (reply_.finish_reason.empty()) reply_.finish_reason = reply_.message.tool_calls.empty() ? "stop" : "tool_calls";
  return std::move(reply_);
}

}  // namespace weft::openai

namespace weft {
namespace {

using OnText = std::function<bool(std::string_view)>;
using openai::SchemaForm;

bool is_about_schema(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument && (error.message.find("response_format") != std::string::npos ||
                                                       error.message.find("json_schema") != std::string::npos);
}

class OpenAiChat final : public ChatModel {
 public:
  OpenAiChat(OpenAiChatOptions options, std::shared_ptr<HttpClient> client)
      : options_(std::move(options)), client_(std::move(client)) {}

  std::string name() const override { return options_.name.empty() ? options_.model : options_.name; }
  std::int64_t window() const override { return options_.window; }
  std::int64_t count_tokens(std::string_view text) const override {
    return options_.vocabulary ? options_.vocabulary->count(text) : -1;
  }

  Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline, const OnText& on_text) override {
    std::optional<SchemaCheck> check;
    if (!request.json_schema.empty()) {
      WEFT_TRY(check, SchemaCheck::compile(request.json_schema));
    }
    int attempts = 0;
    for (int answers = 1;; ++answers) {
      WEFT_TRY(ChatReply reply, ask_in_known_form(request, deadline, on_text, attempts));
      reply.attempts = attempts;
      // A call of a tool is not the answer yet.
      if (!check || !reply.message.tool_calls.empty()) return reply;
      const Status valid = check->check(reply.message.content);
      if (valid.ok()) return reply;
      // What was streamed cannot be taken back.
      if (on_text || !wait_for_retry(options_.retry, answers, deadline)) {
        return unavailable(name() + " gave no valid answer: " + valid.error().message);
      }
    }
  }

 private:
  // Falls back to the weaker form of asking for JSON where the endpoint does not know the stronger one.
  Result<ChatReply> ask_in_known_form(const ChatRequest& request, const Deadline& deadline, const OnText& on_text,
                                      int& attempts) {
    const SchemaForm form = form_;
    Result<ChatReply> reply = ask(request, deadline, on_text, form, attempts);
    if (reply.ok() || request.json_schema.empty() || form == SchemaForm::kJsonObject || !is_about_schema(reply.error()))
      return reply;
    Result<ChatReply> weaker = ask(request, deadline, on_text, SchemaForm::kJsonObject, attempts);
    if (weaker.ok()) form_ = SchemaForm::kJsonObject;
    return weaker;
  }

  Result<ChatReply> ask(const ChatRequest& request, const Deadline& deadline, const OnText& on_text, SchemaForm form,
                        int& attempts) {
    WEFT_TRY(std::string body, openai::chat_body(request, options_.model, on_text != nullptr, form));
    HttpRequest call = openai::post(options_.url, "/chat/completions", options_.api_key, std::move(body));
    call.idle_timeout = options_.timeout;
    call.connect_timeout = std::min(call.connect_timeout, options_.timeout);
    int made = 0;
    Result<ChatReply> reply = on_text ? ask_streamed(call, deadline, on_text, made) : ask_whole(call, deadline, made);
    attempts += made;
    return reply;
  }

  Result<ChatReply> ask_whole(const HttpRequest& call, const Deadline& deadline, int& made) {
    WEFT_TRY(const HttpResponse response, send_with_retry(*client_, call, deadline, options_.retry, &made));
    if (response.status != 200) return openai::error_of(response, options_.url);
    return named(openai::read_chat_answer(response.body));
  }

  Result<ChatReply> ask_streamed(HttpRequest& call, const Deadline& deadline, const OnText& on_text, int& made) {
    call.headers.emplace_back("Accept", "text/event-stream");
    SseReader reader;
    openai::ChatAnswerBuilder builder;
    std::string whole;  // the answer of an endpoint that does not stream
    bool is_stream = true, going_on = true;
    HttpSink sink;
    sink.on_head = [&](const HttpResponse& head) {
      for (const auto& [name, value] : head.headers) {
        if (name == "content-type" && value.find("json") != std::string::npos) is_stream = false;
      }
      return true;
    };
    sink.on_bytes = [&](std::string_view bytes) {
      if (!is_stream) return whole.append(bytes), true;
      const bool readable =
          reader.feed(bytes, [&](const SseEvent& event) { going_on = going_on && builder.take(event.data, on_text); });
      return readable && going_on;
    };
    const Result<HttpResponse> response = stream_with_retry(*client_, call, deadline, options_.retry, sink, &made);
    if (!builder.status().ok()) return named(Result<ChatReply>(builder.status().error()));
    if (!response.ok() && !(builder.complete() && response.error().code == ErrorCode::kUnavailable))
      return response.error();
    if (response.ok() && response->status != 200) return openai::error_of(*response, options_.url);
    if (!is_stream) return tell_whole(openai::read_chat_answer(whole), on_text);
    if (!builder.complete())
      return unavailable(server_of(options_.url) + " ended the stream before the answer was complete");
    return builder.finish();
  }

  Result<ChatReply> tell_whole(Result<ChatReply> reply, const OnText& on_text) const {
    if (reply.ok() && !reply->message.content.empty() && !on_text(reply->message.content))
      return cancelled("the answer was not wanted any more");
    return named(std::move(reply));
  }

  // The same, with the server's name in front of an error.
  Result<ChatReply> named(Result<ChatReply> reply) const {
    if (reply.ok()) return reply;
    Error error = reply.error();
    error.message = server_of(options_.url) + ": " + error.message;
    return error;
  }

  OpenAiChatOptions options_;
  std::shared_ptr<HttpClient> client_;
  std::atomic<SchemaForm> form_ = SchemaForm::kJsonSchema;
};

}  // namespace

std::unique_ptr<ChatModel> make_openai_chat(OpenAiChatOptions options, std::shared_ptr<HttpClient> client) {
  return std::make_unique<OpenAiChat>(std::move(options), std::move(client));
}

}  // namespace weft
