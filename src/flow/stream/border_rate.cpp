#include "flow/stream/border_rate.h"

#include <cmath>

namespace weft {
namespace {

constexpr double kUsualRate = 0.138;  // of the turns that the trees are fitted on, as they are weighed there
constexpr double kUsualTurns = 15;
constexpr double kMemory = 200;  // turns

double logit_of(double probability) { return std::log(probability / (1 - probability)); }

}  // namespace

double BorderRate::shift() const {
  return logit_of((kUsualTurns * kUsualRate + expected) / (kUsualTurns + turns)) - logit_of(kUsualRate);
}

void BorderRate::take(double logit) {
  const double found = 1 / (1 + std::exp(-(logit + shift())));
  const double kept = turns < kMemory ? 1 : kMemory / (turns + 1);
  expected = kept * (expected + found);
  turns = kept * (turns + 1);
}

}  // namespace weft
