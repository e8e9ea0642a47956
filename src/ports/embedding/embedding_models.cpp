#include "ports/embedding/embedding_models.h"

#include <llama.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "base/log.h"
#include "base/threads.h"
#include "ports/llama/llama_engine.h"
#include "ports/net/openai_wire.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kLongestPieceBytes = 64;  // no token of the families in use stands for more
constexpr std::int64_t kSmallestLimit = 16;

// A text that somebody waits for may use a second core, what is to be stored steps back meanwhile; but only one that is
// idle. Two threads that share a core spin at each barrier until the other has its turn: ten times the work of one.
std::int32_t threads_for(EmbedUse use, std::int64_t threads) {
  constexpr std::int64_t kAwaited = 2;
  const std::int64_t wanted = use == EmbedUse::kPassage ? threads : std::max(threads, std::min(kAwaited, idle_cores()));
  return static_cast<std::int32_t>(wanted);
}

bool must_stop(void* deadline) {
  const auto* current = static_cast<const Deadline* const*>(deadline);
  return *current != nullptr && (*current)->passed();
}

// One context of the engine and the deadline of the call it works for.
struct Worker {
  const Deadline* deadline = nullptr;
  llama::Context context;
};

class LlamaEmbedder final : public Embedder {
 public:
  LlamaEmbedder(llama::Model model, const LlamaEmbedderOptions& options, EmbedPrefixes prefixes)
      : model_(std::move(model)),
        vocab_(llama_model_get_vocab(model_.get())),
        options_(options),
        prefixes_(std::move(prefixes)),
        dimensions_(static_cast<std::size_t>(llama_model_n_embd_out(model_.get()))) {}

  // Makes the first context, so that a model that cannot work fails when it is opened.
  Status start() {
    WEFT_TRY(auto worker, make_worker());
    const std::lock_guard lock(mutex_);
    made_ = 1;
    idle_.push_back(std::move(worker));
    return {};
  }

  std::string name() const override { return options_.name; }
  std::size_t dimensions() const override { return dimensions_; }
  std::string prefix(EmbedUse use) const override { return prefixes_.of(use); }

  std::int64_t count_tokens(std::string_view text) const override {
    return static_cast<std::int64_t>(llama::tokenize(vocab_, text, false, false).size());
  }

  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override {
    if (!has_word(text)) return invalid_argument("the text has no word, so it has no vector");
    std::vector<llama_token> tokens = tokens_within_limit(prefixes_.of(use), text);
    WEFT_TRY(std::unique_ptr<Worker> worker, take_worker(deadline));
    const AtEnd over([&] { give_back(std::move(worker)); });
    const std::int32_t threads = threads_for(use, options_.threads);
    llama_set_n_threads(worker->context.get(), threads, threads);
    return run(*worker, tokens, deadline);
  }

 private:
  Result<std::unique_ptr<Worker>> make_worker() const {
    auto worker = std::make_unique<Worker>();
    llama_context_params params = llama_context_default_params();
    const auto limit = static_cast<std::uint32_t>(options_.max_tokens);
    params.n_ctx = params.n_batch = params.n_ubatch = limit;
    params.n_seq_max = 1;
    params.n_threads = params.n_threads_batch = static_cast<std::int32_t>(options_.threads);
    params.embeddings = true;
    params.no_perf = true;
    if (llama::metadata(model_.get(), (llama::metadata(model_.get(), "general.architecture") + ".pooling_type").c_str())
            .empty()) {
      params.pooling_type = LLAMA_POOLING_TYPE_MEAN;
    }
    worker->context.reset(llama_init_from_model(model_.get(), params));
    if (!worker->context) return unavailable("no memory for a context of the embedding model");
    const auto pooling = llama_pooling_type(worker->context.get());
    if (pooling == LLAMA_POOLING_TYPE_NONE || pooling == LLAMA_POOLING_TYPE_RANK) {
      return invalid_argument("'" + options_.path + "' gives no vector for a text", "choose an embedding model");
    }
    llama_set_abort_callback(worker->context.get(), &must_stop, &worker->deadline);
    return worker;
  }

  // At most the limit of tokens, special ones included.
  std::vector<llama_token> tokens_within_limit(const std::string& prefix, std::string_view text) const {
    const auto limit = static_cast<std::size_t>(options_.max_tokens);
    text = cut_bytes(text, limit * kLongestPieceBytes);
    std::vector<llama_token> tokens = llama::tokenize(vocab_, prefix + std::string(text), true, false);
    bool is_cut = false;
    while (tokens.size() > limit) {  // a little less than its share each time, so that few rounds do
      const double share = static_cast<double>(limit) / static_cast<double>(tokens.size());
      text = cut_bytes(text, static_cast<std::size_t>(static_cast<double>(text.size()) * share * 0.98));
      tokens = llama::tokenize(vocab_, prefix + std::string(text), true, false);
      is_cut = true;
    }
    if (!is_cut) return tokens;
    const std::string_view whole = whole_sentences(text);
    return whole.size() == text.size() ? tokens : llama::tokenize(vocab_, prefix + std::string(whole), true, false);
  }

  // The text without the sentence that was cut through, if that costs at most a quarter; else without the word.
  static std::string_view whole_sentences(std::string_view text) {
    const std::vector<std::string_view> parts = sentences(text);
    if (parts.size() > 1) {
      const std::string_view last = parts[parts.size() - 2];
      const auto end = static_cast<std::size_t>(last.data() + last.size() - text.data());
      if (end >= text.size() * 3 / 4) return text.substr(0, end);
    }
    const std::size_t space = text.rfind(' ');
    return space != std::string_view::npos && space >= text.size() * 3 / 4 ? text.substr(0, space) : text;
  }

  Result<std::unique_ptr<Worker>> take_worker(const Deadline& deadline) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (deadline.passed()) return deadline_error(deadline, "the vector of a text");
      if (!idle_.empty()) {
        std::unique_ptr<Worker> worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
      if (made_ < options_.contexts) break;
      const auto is_idle = [this] { return !idle_.empty(); };
      if (deadline.until()) {
        changed_.wait_until(lock, deadline.cancel(), *deadline.until(), is_idle);
      } else {
        changed_.wait(lock, deadline.cancel(), is_idle);
      }
    }
    idle_.reserve(static_cast<std::size_t>(options_.contexts));  // so that giving one back needs no memory
    ++made_;
    lock.unlock();
    auto worker = guarded("the embedding model's context", [this] { return make_worker(); });
    if (worker.ok()) return worker;
    lock.lock();
    --made_;
    changed_.notify_one();
    return worker;
  }

  void give_back(std::unique_ptr<Worker> worker) {
    {
      const std::lock_guard lock(mutex_);
      idle_.push_back(std::move(worker));
    }
    changed_.notify_one();
  }

  Result<Vector> run(Worker& worker, std::vector<llama_token>& tokens, const Deadline& deadline) const {
    worker.deadline = &deadline;
    const llama_batch batch = llama_batch_get_one(tokens.data(), static_cast<std::int32_t>(tokens.size()));
    int status = -1;
    try {
      llama_memory_clear(llama_get_memory(worker.context.get()), true);
      status = llama_model_has_encoder(model_.get()) ? llama_encode(worker.context.get(), batch)
                                                     : llama_decode(worker.context.get(), batch);
    } catch (const std::exception& e) {
      log_debug("embedding.failed", e.what());
    }
    worker.deadline = nullptr;
    if (status != 0 && deadline.passed()) return deadline_error(deadline, "the vector of a text");
    const float* values = status == 0 ? llama_get_embeddings_seq(worker.context.get(), 0) : nullptr;
    if (values == nullptr) return internal("the embedding model failed with status " + std::to_string(status));
    Vector vector(values, values + dimensions_);
    if (!make_unit_length(vector)) return internal("the embedding model gave a vector without a direction");
    return vector;
  }

  llama::Model model_;
  const llama_vocab* vocab_;
  LlamaEmbedderOptions options_;
  EmbedPrefixes prefixes_;
  std::size_t dimensions_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<Worker>> idle_;
  std::int64_t made_ = 0;
};

}  // namespace

Result<std::unique_ptr<Embedder>> open_llamacpp_embedder(const LlamaEmbedderOptions& options) {
  WEFT_TRY(llama::Model model, llama::load_model(options.path, llama::Load::kAll, options.stop));
  LlamaEmbedderOptions settled = options;
  if (settled.name.empty()) settled.name = std::filesystem::path(options.path).stem().string();
  settled.contexts = std::max<std::int64_t>(1, options.contexts);
  settled.threads = std::max<std::int64_t>(1, options.threads);
  settled.max_tokens = std::clamp<std::int64_t>(
      options.max_tokens, kSmallestLimit, std::max<std::int64_t>(kSmallestLimit, llama_model_n_ctx_train(model.get())));
  EmbedPrefixes prefixes = EmbedPrefixes::of_family(settled.name);
  if (options.query_prefix) prefixes.compare = prefixes.query = *options.query_prefix;
  if (options.passage_prefix) prefixes.passage = *options.passage_prefix;
  auto embedder = std::make_unique<LlamaEmbedder>(std::move(model), settled, std::move(prefixes));
  WEFT_CHECK(embedder->start());
  return std::unique_ptr<Embedder>(std::move(embedder));
}

namespace {

using nlohmann::json;

class OpenAiEmbedder final : public Embedder {
 public:
  OpenAiEmbedder(OpenAiEmbedderOptions options, std::shared_ptr<HttpClient> client, EmbedPrefixes prefixes)
      : options_(std::move(options)), client_(std::move(client)), prefixes_(std::move(prefixes)) {}

  Status start(const Deadline& deadline) {
    if (options_.dimensions != 0) return {};
    WEFT_TRY(const Vector first, embed("hello", EmbedUse::kCompare, deadline));
    options_.dimensions = first.size();
    return {};
  }

  std::string name() const override { return options_.model; }
  std::size_t dimensions() const override { return options_.dimensions; }
  std::string prefix(EmbedUse use) const override { return prefixes_.of(use); }
  std::int64_t count_tokens(std::string_view) const override { return -1; }

  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override {
    if (!has_word(text)) return invalid_argument("the text has no word, so it has no vector");
    const json body = {
        {"model", options_.model}, {"input", prefixes_.of(use) + std::string(text)}, {"encoding_format", "float"}};
    HttpRequest request = openai::post(options_.url, "/embeddings", options_.api_key,
                                       body.dump(-1, ' ', false, json::error_handler_t::replace));
    request.idle_timeout = options_.timeout;
    request.connect_timeout = std::min(request.connect_timeout, options_.timeout);
    WEFT_TRY(const HttpResponse response, send_with_retry(*client_, request, deadline, options_.retry));
    if (response.status != 200) return openai::error_of(response, options_.url);
    return read(response.body);
  }

 private:
  Result<Vector> read(const std::string& body) const {
    const json answer = json::parse(body, nullptr, false);
    const json::json_pointer place("/data/0/embedding");
    const auto fail = [&](const std::string& what) {
      return unavailable(server_of(options_.url) + " gave " + what + " for a vector of " + options_.model);
    };
    if (!answer.is_object() || !answer.contains(place) || !answer.at(place).is_array()) return fail("something else");
    Vector vector;
    for (const json& number : answer.at(place)) {
      if (!number.is_number()) return fail("something else");
      vector.push_back(number.get<float>());
    }
    if (options_.dimensions != 0 && vector.size() != options_.dimensions) {
      return fail(std::to_string(vector.size()) + " numbers instead of " + std::to_string(options_.dimensions));
    }
    if (!make_unit_length(vector)) return fail("nothing but zeros");
    return vector;
  }

  OpenAiEmbedderOptions options_;
  std::shared_ptr<HttpClient> client_;
  EmbedPrefixes prefixes_;
};

}  // namespace

Result<std::unique_ptr<Embedder>> open_openai_embedder(OpenAiEmbedderOptions options,
                                                       std::shared_ptr<HttpClient> client, const Deadline& deadline) {
  if (options.url.empty()) return invalid_argument("the embedding endpoint has no URL", "set embedding.url");
  EmbedPrefixes prefixes = EmbedPrefixes::of_family(options.model);
  if (options.query_prefix) prefixes.compare = prefixes.query = *options.query_prefix;
  if (options.passage_prefix) prefixes.passage = *options.passage_prefix;
  auto embedder = std::make_unique<OpenAiEmbedder>(std::move(options), std::move(client), std::move(prefixes));
  WEFT_CHECK(embedder->start(deadline));
  return std::unique_ptr<Embedder>(std::move(embedder));
}

}  // namespace weft
