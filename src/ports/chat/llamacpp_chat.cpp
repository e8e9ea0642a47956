#include "ports/chat/llamacpp_chat.h"

#include <llama.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "base/threads.h"
#include "ports/embedding/embedder.h"
#include "ports/llama/chat_template.h"
#include "ports/llama/llama_engine.h"
#include "ports/llama/token_sampler.h"
#include "text/schema_check.h"

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
