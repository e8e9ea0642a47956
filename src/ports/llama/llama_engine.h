#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/message.h"
#include "weft/result.h"

struct llama_model;
struct llama_context;
struct llama_vocab;

/// What the embedder, the local chat model and the vocabularies share of llama.cpp.
namespace weft::llama {

struct Free {
  void operator()(llama_model* model) const;
  void operator()(llama_context* context) const;
};
using Model = std::unique_ptr<llama_model, Free>;
using Context = std::unique_ptr<llama_context, Free>;  ///< must go before its model

enum class Load {
  kAll,         ///< weights, mapped from the file
  kVocabulary,  ///< only the tokenizer
};

/// Opens a GGUF file, on the CPU. kNotFound where there is no such file, kCorrupt where it is no model that the engine
/// can read, with the engine's last complaint. Takes up to seconds. Safe from any thread; the engine's own log lines go
/// to ours, at level debug. `stop` ends it with kCancelled as soon as the engine looks, which it does between weights.
Result<Model> load_model(const std::string& path, Load load, const std::stop_token& stop = {});

/// The tokens of a text. Broken UTF-8 is repaired first. `special` adds what the model puts around a text (bos, eos);
/// `markup` reads
/// "<|im_end|>" and its like as the control tokens they name: only for templates, never for text from outside. Safe
/// from any thread.
std::vector<std::int32_t> tokenize(const llama_vocab* vocab, std::string_view text, bool special, bool markup);

/// The bytes of one token; may be a part of a character.
std::string piece_of(const llama_vocab* vocab, std::int32_t token);

/// A value of the model's metadata, empty where it has none.
std::string metadata(const llama_model* model, const char* key);

/// The trained model, whatever its file is called and its weights are rounded to: the name that the file gives it, else
/// its architecture and size.
std::string trained_name(const llama_model* model);

/// What the head of a model file says.
struct ModelFile {
  std::uint64_t bytes = 0;  ///< of the file
  std::string kind;  ///< the architecture: "bert", "llama", …
  std::int64_t tensors = 0;
};

/// Reads the head of a GGUF file, without its weights, and sees that all that it names is there. kNotFound where there
/// is no such file, kCorrupt where it is none or was cut off.
Result<ModelFile> look_at_model_file(const std::string& path);

/// A stretch of a prompt. What came from messages is marked, so that "<|im_end|>" in it stays text and cannot end a
/// turn.
struct PromptPart {
  std::string text;
  bool is_input = false;
};

/// A model's own chat template, in Jinja. Safe from any thread.
class ChatTemplate {
 public:
  /// `bos` and `eos` are the texts of those tokens. kInvalidArgument where the template cannot be read.
  static Result<ChatTemplate> compile(const std::string& source, std::string bos, std::string eos);

  /// The prompt that asks for the next message of the assistant. kInvalidArgument with the template's own words where
  /// it refuses, for instance two messages of the same role in a row.
  Result<std::vector<PromptPart>> render(const std::vector<Message>& messages) const;

 private:
  struct State;
  explicit ChatTemplate(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace weft::llama

struct llama_sampler;
struct llama_token_data;

namespace weft::llama {

/// The grammar (GBNF) of compact JSON, without white space between tokens, that a JSON schema allows. White space would
/// double the number of tokens. kInvalidArgument for what cannot be turned into one.
Result<std::string> json_grammar(const std::string& schema);

/// Chooses the next token of one answer. Not safe for several threads.
class TokenSampler {
 public:
  /// `grammar` may be empty. Temperature 0 takes the likeliest token; `seed` matters above.
  static Result<TokenSampler> make(const llama_vocab* vocab, const std::string& grammar, double temperature,
                                   std::uint64_t seed);

  /// The next token by the model's logits (one for each token of the vocabulary). kInternal where the grammar allows
  /// none.
  Result<std::int32_t> next(const float* logits);

 private:
  struct FreeSampler {
    void operator()(llama_sampler* sampler) const;
  };

  TokenSampler() = default;
  std::int32_t draw(std::size_t count);
  bool allowed(std::int32_t token) const;
  std::size_t keep_allowed(const float* logits, std::size_t count);
  std::size_t rank(const float* logits, std::size_t count);

  const llama_vocab* vocab_ = nullptr;
  std::unique_ptr<llama_sampler, FreeSampler> grammar_;
  double temperature_ = 0;
  std::mt19937_64 random_;
  std::vector<std::pair<float, std::int32_t>> candidates_;  // logit and token, best first
};

}  // namespace weft::llama
