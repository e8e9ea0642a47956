#pragma once

#include <functional>
#include <vector>

#include "text/time/rules.h"

namespace weft::timex {

using Rules = std::vector<Rule>;

/// Puts more rules behind the others.
void append(Rules& rules, Rules more);

/// "1 year" and "2 months" as one amount; nothing unless the second is finer.
std::optional<Node> joined(const Node& a, const Node& b);

/// "and a half" of the last unit.
std::optional<Node> plus_half(const Node& amount);

/// An amount that is only a limit: "under two hours".
std::optional<Node> limit(const Node& amount);

// The parts of each language's table, a file for each group. Chinese words stand in simplified characters, the lexer
// folds the traditional ones; some are Cantonese.

namespace english {
Rules amounts();
Rules names();
Rules dates();
Rules decades();
Rules clocks();
Rules parts();
Rules from_now();
Rules cycles();
Rules seasons();
Rules counted();
Rules stretches();
Rules open_ended();
Rules repetitions();
Rules together();
}  // namespace english

namespace chinese {
Rules amounts();
Rules pointers();
Rules names();
Rules eras();
Rules clocks();
Rules counted();
Rules stretches();
Rules repetitions();
Rules together();
}  // namespace chinese

}  // namespace weft::timex
