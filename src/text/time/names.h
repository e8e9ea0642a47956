#pragma once

#include <vector>

#include "text/time/grammar.h"

namespace weft::timex {

/// Whether words that could be a time are part of a name: June Carter, Friday Night Lights, the file april-report,
/// 李明天, 王五月, 今日头条, 晚上好.
bool is_name(const std::vector<Token>& tokens, const Node& node);

}  // namespace weft::timex
