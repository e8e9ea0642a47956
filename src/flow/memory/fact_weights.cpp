#include "flow/memory/fact_meaning.h"

namespace weft {
namespace {

FactWeights::OfLanguage read_language(const WeightFile& file, const std::string& name) {
  FactWeights::OfLanguage one;
  one.bias = file.number(name + ".bias");
  one.limit = file.number(name + ".limit");
  const std::vector<double> signs = file.numbers(name + ".signs", one.signs.size());
  std::copy(signs.begin(), signs.end(), one.signs.begin());
  return one;
}

}  // namespace

FactWeights read_fact_weights(const WeightFile& file) {
  return {file.text("embedder"),
          {read_language(file, "english"), read_language(file, "chinese")},
          file.scaled("vector", "step")};
}

const FactWeights* fact_weights(std::string_view embedder) {
  static const FactWeights kFitted = read_fact_weights(shipped_weights("facts"));
  return embedder.find(kFitted.embedder) == std::string_view::npos ? nullptr : &kFitted;
}

}  // namespace weft
