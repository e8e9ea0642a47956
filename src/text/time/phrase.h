#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/time/grammar.h"
#include "text/time/lexer.h"

namespace weft::timex {

/// The words of an expression, English ones with a space before and behind each, Chinese ones as they stand.
class Phrase {
 public:
  Phrase(const std::vector<Token>& tokens, const Node& node);

  bool chinese() const { return chinese_; }
  bool digits() const { return digits_; }

  bool has(std::string_view word) const;
  bool begins(std::string_view word) const { return text_.rfind(" " + std::string(word), 0) == 0; }
  /// Whether these are all its words: "the last day", 近日.
  bool is(std::string_view words) const;

  bool has(std::span<const std::string_view> words) const {
    return std::any_of(words.begin(), words.end(), [this](std::string_view word) { return has(word); });
  }

  /// 周 and 星期 as lengths of time: not those of 周五.
  bool has_chinese_week() const;

  /// A number that counts units: "three", 两.
  bool counts() const;

 private:
  std::string text_;
  bool chinese_ = false, digits_ = false;
};

/// The finest unit of time that is named, as exactly as a count of it can be meant.
std::optional<Grain> named_unit(const Phrase& words);

/// Whether 最近 is near in space, not in time: 最近的车站, 离酒店最近. Takes what stands before and behind it.
bool means_nearest(std::string_view before, std::string_view behind);

}  // namespace weft::timex
