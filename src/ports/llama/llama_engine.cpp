#include "ports/llama/llama_engine.h"

#include <gguf.h>
#include <jinja/lexer.h>
#include <jinja/parser.h>
#include <jinja/runtime.h>
#include <jinja/value.h>
#include <json-schema-to-grammar.h>
#include <json.h>
#include <llama.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>

#include "base/log.h"
#include "text/utf8.h"

namespace weft::llama {
namespace {

thread_local std::string last_complaint;  // of the engine, on the thread that loads

void take_log(ggml_log_level level, const char* text, void*) {
  std::string_view line(text);
  while (line.ends_with('\n')) line.remove_suffix(1);
  if (line.empty() || line == ".") return;
  if (level == GGML_LOG_LEVEL_ERROR) last_complaint = line;
  log_debug("llama", line);
}

void start_engine() {
  static std::once_flag once;
  std::call_once(once, [] {
    llama_log_set(&take_log, nullptr);
    llama_backend_init();
  });
}

struct FreeHead {
  void operator()(gguf_context* head) const { gguf_free(head); }
};

}  // namespace

void Free::operator()(llama_model* model) const { llama_model_free(model); }
void Free::operator()(llama_context* context) const { llama_free(context); }

Result<Model> load_model(const std::string& path, Load load, const std::stop_token& stop) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return not_found("there is no model file '" + path + "'",
                     "give the path of a GGUF file, or run the set-up, which fetches the default models");
  }
  start_engine();
  llama_model_params params = llama_model_default_params();
  params.n_gpu_layers = 0;
  params.vocab_only = load == Load::kVocabulary;
  params.progress_callback = [](float, void* wanted) {
    return !static_cast<const std::stop_token*>(wanted)->stop_requested();
  };
  params.progress_callback_user_data = const_cast<std::stop_token*>(&stop);
  last_complaint.clear();
  try {
    Model model(llama_model_load_from_file(path.c_str(), params));
    if (model) return model;
    if (stop.stop_requested()) return cancelled("loading '" + path + "' was given up");
  } catch (const std::exception& e) {
    last_complaint = e.what();
  }
  return corrupt("'" + path + "' cannot be loaded" + (last_complaint.empty() ? "" : ": " + last_complaint),
                 "it must be a GGUF file of a kind that llama.cpp knows");
}

std::vector<std::int32_t> tokenize(const llama_vocab* vocab, std::string_view text, bool special, bool markup) {
  std::string repaired;
  if (find_invalid_utf8(text)) text = repaired = repair_utf8(text);
  const auto size = static_cast<std::int32_t>(text.size());
  std::vector<std::int32_t> tokens(text.size() / 2 + 16);
  std::int32_t count = llama_tokenize(vocab, text.data(), size, tokens.data(), static_cast<std::int32_t>(tokens.size()),
                                      special, markup);
  if (count < 0) {
    tokens.resize(static_cast<std::size_t>(-count));
    count = llama_tokenize(vocab, text.data(), size, tokens.data(), -count, special, markup);
  }
  tokens.resize(static_cast<std::size_t>(count));
  return tokens;
}

std::string piece_of(const llama_vocab* vocab, std::int32_t token) {
  std::string piece(32, '\0');
  std::int32_t size =
      llama_token_to_piece(vocab, token, piece.data(), static_cast<std::int32_t>(piece.size()), 0, false);
  if (size < 0) {
    piece.resize(static_cast<std::size_t>(-size));
    size = llama_token_to_piece(vocab, token, piece.data(), -size, 0, false);
  }
  piece.resize(static_cast<std::size_t>(size < 0 ? 0 : size));
  return piece;
}

std::string metadata(const llama_model* model, const char* key) {
  const std::int32_t size = llama_model_meta_val_str(model, key, nullptr, 0);
  if (size <= 0) return {};
  std::string value(static_cast<std::size_t>(size) + 1, '\0');
  llama_model_meta_val_str(model, key, value.data(), value.size());
  value.resize(static_cast<std::size_t>(size));
  return value;
}

std::string trained_name(const llama_model* model) {
  if (std::string name = metadata(model, "general.name"); !name.empty()) return name;
  return metadata(model, "general.architecture") + " of " + std::to_string(llama_model_n_params(model)) + " parameters";
}

Result<ModelFile> look_at_model_file(const std::string& path) {
  std::error_code code;
  ModelFile file;
  file.bytes = std::filesystem::file_size(path, code);
  if (code || !std::filesystem::is_regular_file(path, code)) return not_found("there is no model file " + path);
  const std::unique_ptr<gguf_context, FreeHead> head(gguf_init_from_file(path.c_str(), {true, nullptr}));
  if (head == nullptr) return corrupt(path + " is no model: its head is none of a GGUF file");
  if (const auto key = gguf_find_key(head.get(), "general.architecture");
      key >= 0 && gguf_get_kv_type(head.get(), key) == GGUF_TYPE_STRING)
    file.kind = gguf_get_val_str(head.get(), key);
  file.tensors = gguf_get_n_tensors(head.get());
  std::uint64_t end = 0;
  for (std::int64_t i = 0; i < file.tensors; ++i)
    end = std::max<std::uint64_t>(end, gguf_get_tensor_offset(head.get(), i) + gguf_get_tensor_size(head.get(), i));
  end += gguf_get_data_offset(head.get());
  if (file.tensors > 0 && end > file.bytes)
    return corrupt(path + " was cut off: it has " + std::to_string(file.bytes) + " bytes and names " +
                   std::to_string(end));
  return file;
}

namespace {

common_json message_json(const Message& message) {
  common_json json = common_json::object();
  json["role"] = std::string(to_string(message.role));
  json["content"] = message.content;
  if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
  if (!message.name.empty()) json["name"] = message.name;
  if (message.tool_calls.empty()) return json;
  common_json calls = common_json::array();
  for (const ToolCall& call : message.tool_calls) {
    common_json function = common_json::object();
    function["name"] = call.name;
    function["arguments"] = call.arguments;
    common_json entry = common_json::object();
    entry["id"] = call.id;
    entry["type"] = "function";
    entry["function"] = function;
    calls.push_back(entry);
  }
  json["tool_calls"] = calls;
  return json;
}

}  // namespace

struct ChatTemplate::State {
  std::string source, bos, eos;
  jinja::program program;
};

Result<ChatTemplate> ChatTemplate::compile(const std::string& source, std::string bos, std::string eos) {
  auto state = std::make_shared<State>();
  state->source = source;
  state->bos = std::move(bos);
  state->eos = std::move(eos);
  try {
    jinja::lexer lexer;
    state->program = jinja::parse_from_tokens(lexer.tokenize(source));
  } catch (const std::exception& e) {
    return invalid_argument("the model's chat template cannot be read: " + std::string(e.what()));
  }
  return ChatTemplate(std::move(state));
}

Result<std::vector<PromptPart>> ChatTemplate::render(const std::vector<Message>& messages) const {
  try {
    common_json list = common_json::array();
    for (const Message& message : messages) list.push_back(message_json(message));
    common_json from_outside = common_json::object();
    from_outside["messages"] = list;
    common_json ours = common_json::object();
    ours["bos_token"] = state_->bos;
    ours["eos_token"] = state_->eos;
    ours["add_generation_prompt"] = true;
    ours["enable_thinking"] = false;
    jinja::context context(state_->source);
    jinja::global_from_json(context, from_outside, true);
    jinja::global_from_json(context, ours, false);
    jinja::runtime runtime(context);
    const jinja::value result = runtime.execute(state_->program);
    const auto rendered = jinja::runtime::gather_string_parts(result);
    std::vector<PromptPart> parts;
    for (const auto& part : rendered->as_string().parts) parts.push_back({part.val, part.is_input});
    return parts;
  } catch (const std::exception& e) {
    return invalid_argument("the model's chat template refuses these messages: " + std::string(e.what()));
  }
}

namespace {

constexpr std::size_t kPool = 40;  // with a temperature, tokens beyond these are never drawn

}  // namespace

Result<std::string> json_grammar(const std::string& schema) {
  std::string grammar;
  try {
    grammar = json_schema_to_grammar(common_json::parse(schema), true);
  } catch (const std::exception& e) {
    return invalid_argument("the answer's schema cannot be made a grammar: " + std::string(e.what()));
  }
  const std::size_t at = grammar.find("space ::=");
  if (at != std::string::npos) grammar.replace(at, grammar.find('\n', at) - at, "space ::= \"\"");
  return grammar;
}

void TokenSampler::FreeSampler::operator()(llama_sampler* sampler) const { llama_sampler_free(sampler); }

Result<TokenSampler> TokenSampler::make(const llama_vocab* vocab, const std::string& grammar, double temperature,
                                        std::uint64_t seed) {
  TokenSampler sampler;
  sampler.vocab_ = vocab;
  sampler.temperature_ = temperature;
  sampler.random_.seed(seed);
  if (!grammar.empty()) {
    sampler.grammar_.reset(llama_sampler_init_grammar(vocab, grammar.c_str(), "root"));
    if (!sampler.grammar_) return invalid_argument("the grammar of the answer's schema is broken");
  }
  return sampler;
}

bool TokenSampler::allowed(std::int32_t token) const {
  if (!grammar_) return true;
  llama_token_data one{token, 1.0F, 0.0F};
  llama_token_data_array array{&one, 1, -1, false};
  llama_sampler_apply(grammar_.get(), &array);
  return std::isfinite(one.logit);
}

// Puts the `count` likeliest tokens in front, best first.
std::size_t TokenSampler::rank(const float* logits, std::size_t count) {
  const auto size = static_cast<std::size_t>(llama_vocab_n_tokens(vocab_));
  candidates_.resize(size);
  for (std::size_t i = 0; i < size; ++i) candidates_[i] = {logits[i], static_cast<std::int32_t>(i)};
  count = std::min(count, size);
  const auto better = [](const auto& a, const auto& b) {
    return a.first > b.first || (a.first == b.first && a.second < b.second);
  };
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count), candidates_.end(),
                    better);
  return count;
}

// The same among the tokens that the grammar allows. Asking it for every token of a large vocabulary takes tens of
// milliseconds, so this happens only after its rejection of a token, and first for the likeliest ones.
std::size_t TokenSampler::keep_allowed(const float* logits, std::size_t count) {
  for (const std::size_t width :
       {std::max<std::size_t>(count, 256), static_cast<std::size_t>(llama_vocab_n_tokens(vocab_))}) {
    const std::size_t ranked = rank(logits, width);
    std::vector<llama_token_data> data(ranked);
    for (std::size_t i = 0; i < ranked; ++i) data[i] = {candidates_[i].second, candidates_[i].first, 0.0F};
    llama_token_data_array array{data.data(), data.size(), -1, false};
    llama_sampler_apply(grammar_.get(), &array);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < array.size && kept < count; ++i) {
      if (std::isfinite(array.data[i].logit)) candidates_[kept++] = {array.data[i].logit, array.data[i].id};
    }
    if (kept > 0) return kept;
  }
  return 0;
}

std::int32_t TokenSampler::draw(std::size_t count) {
  if (temperature_ <= 0 || count == 1) return candidates_[0].second;
  std::vector<double> weights(count);
  for (std::size_t i = 0; i < count; ++i)
    weights[i] = std::exp(static_cast<double>(candidates_[i].first - candidates_[0].first) / temperature_);
  std::discrete_distribution<std::size_t> choice(weights.begin(), weights.end());
  return candidates_[choice(random_)].second;
}

Result<std::int32_t> TokenSampler::next(const float* logits) {
  try {
    const std::size_t wanted = temperature_ <= 0 ? 1 : kPool;
    std::int32_t token = draw(rank(logits, wanted));
    if (!allowed(token)) {
      const std::size_t kept = keep_allowed(logits, wanted);
      if (kept == 0) return internal("the grammar allows no token");
      token = draw(kept);
    }
    if (grammar_ && !llama_vocab_is_eog(vocab_, token)) llama_sampler_accept(grammar_.get(), token);
    return token;
  } catch (const std::exception& e) {
    return internal("the grammar failed: " + std::string(e.what()));
  }
}

}  // namespace weft::llama
