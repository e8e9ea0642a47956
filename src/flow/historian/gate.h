#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "weft/choices.h"

namespace weft {

enum class GateKind { kPronoun, kTime, kPlace };

/// A word that a stranger could not understand in a year.
struct GateHit {
  GateKind kind = GateKind::kPronoun;
  std::string word;        ///< as it is written
  std::size_t offset = 0;  ///< byte of the text
};

/// Finds the words that an absolute text may not hold, in order. In the balanced mode quotations, titles, code,
/// addresses and `names` are passed over, as are words that merely contain a listed one (其他, 本地化, 最近的车站) and
/// uses that refer to nothing ("it is raining", "there is"). Reflexives of the third person may stay, as 自己 may.
/// A word whose meaning stands behind it in brackets ("he [Tom]", 他[李雷]) is resolved, with those of its kind that
/// follow in the sentence (of the speaker and hearer: in the text); "the one concerned" and the like resolve nothing
/// and are hits themselves. Linear. Safe from any thread.
std::vector<GateHit> check(std::string_view text, GateMode mode, const std::vector<std::string>& names = {});

}  // namespace weft
