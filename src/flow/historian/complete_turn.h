#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/historian/absolutise.h"

namespace weft {

/// Rewrites an English turn that leaves out or only points at what was said before so that it can be read alone:
/// "What is its address?" and "What is the address?" after "Nandos is in the south." become "What is the address of
/// Nandos?", "I don't care." after "Which price range?" becomes "I don't care about the price range.". I and you stay.
/// What is not certain is left as it is, a complete turn above all. Deterministic; reads the last few earlier messages.
/// Safe from any thread.
std::string complete_turn(std::string_view text, const std::vector<EarlierMessage>& earlier);

}  // namespace weft
