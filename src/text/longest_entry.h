#pragma once

#include <span>
#include <string_view>

namespace weft {

/// The longest entry of a list of `lexicon` that begins a text, as the list has it; empty where none does.
inline std::string_view longest_entry(std::span<const std::string_view> list, std::string_view text) {
  std::string_view longest;
  for (const std::string_view one : list)
    if (one.size() > longest.size() && text.starts_with(one)) longest = one;
  return longest;
}

}  // namespace weft
