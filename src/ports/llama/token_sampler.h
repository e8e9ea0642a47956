#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "weft/result.h"

struct llama_vocab;
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
