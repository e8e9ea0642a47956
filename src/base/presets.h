#pragma once

#include <span>
#include <string_view>

namespace weft {

/// One setting in which a preset differs from the defaults, and what the difference is about.
struct PresetValue {
  std::string_view key;
  std::string_view value;
  std::string_view why;  ///< why the default (`balanced`) has another value
};

/// The settings of `literal`: every number and rule as specified. `balanced` is the defaults and has no table.
std::span<const PresetValue> literal_preset();

}  // namespace weft
