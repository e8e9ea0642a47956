#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// Whether a key is written as a pattern: "/…/" with flags behind it, as authors' tools have it.
bool is_lore_pattern(std::string_view key);

/// The pattern that means just these words.
std::string literal_pattern(std::string_view words);

/// A pattern from outside, held to a bounded number of steps: what would run for ever finds nothing instead. The same
/// text and pattern always give the same answer, as steps are counted and not time.
///
/// Immutable; one may be used by many threads.
class LorePattern {
 public:
  /// kInvalidArgument for what is no pattern, is longer than 1 KiB or has unknown flags. Flags: i, s, m, u, g.
  static Result<LorePattern> make(std::string_view key);

  LorePattern(LorePattern&&) noexcept;
  LorePattern& operator=(LorePattern&&) noexcept;
  ~LorePattern();

  /// Whether it is found in the last 16 KiB of a valid text.
  bool found_in(std::string_view text) const;

 private:
  struct Compiled;
  explicit LorePattern(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace weft
