#include "ports/llama/token_sampler.h"

#include <json-schema-to-grammar.h>
#include <llama.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace weft::llama {
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
