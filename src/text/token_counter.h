#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "weft/choices.h"

namespace weft {

/// Estimated number of tokens, rounded up; 0 only for the empty text. Safe from any thread. `kExact` counts as
/// `kScript` here.
std::int64_t estimate_tokens(std::string_view text, TokenMode mode);

/// Counts tokens the best way that is at hand: by a vocabulary where one is loaded, else by estimate. Copied freely;
/// safe from any thread if the exact counter is.
class TokenCounter {
 public:
  /// `exact` gives -1 as long as it cannot say (its vocabulary is still loading).
  explicit TokenCounter(TokenMode fallback, std::function<std::int64_t(std::string_view)> exact = {})
      : fallback_(fallback), exact_(std::move(exact)) {}

  std::int64_t count(std::string_view text) const {
    const std::int64_t exact = exact_ ? exact_(text) : -1;
    return exact >= 0 ? exact : estimate_tokens(text, fallback_);
  }

  /// How `count` counts now.
  TokenMode mode() const { return exact_ && exact_("a") >= 0 ? TokenMode::kExact : fallback_; }

 private:
  TokenMode fallback_;
  std::function<std::int64_t(std::string_view)> exact_;
};

}  // namespace weft
