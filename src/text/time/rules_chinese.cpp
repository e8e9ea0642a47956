#include "text/time/rules_parts.h"

namespace weft::timex {

std::vector<Rule> chinese_rules() {
  using namespace chinese;  // NOLINT: the parts of this very table
  Rules rules;
  for (auto* part : {amounts, pointers, names, eras, clocks, counted, stretches, repetitions, together})
    append(rules, part());
  return rules;
}

}  // namespace weft::timex
