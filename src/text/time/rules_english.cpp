#include "text/time/rules_parts.h"

namespace weft::timex {

std::vector<Rule> english_rules() {
  using namespace english;  // NOLINT: the parts of this very table
  Rules rules;
  for (auto* part : {amounts, names, dates, decades, clocks, parts, from_now, cycles, seasons, counted, stretches,
                     open_ended, repetitions, together}) {
    append(rules, part());
  }
  return rules;
}

}  // namespace weft::timex
