#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/result.h"

namespace weft {

/// Whether a tool may be used without asking.
enum class Permission { kAllow, kAsk, kDeny };

/// Permissions by names of tools, where "shell_*" stands for all that begin so; the longest that fits counts, and of
/// several lists the strictest: a run can tighten what the settings say, never loosen it.
class Permissions {
 public:
  /// Adds a list such as "shell_run=ask,*=allow". kInvalidArgument names what is no permission.
  Status add(std::string_view list);
  Permission of(std::string_view tool) const;

 private:
  using List = std::vector<std::pair<std::string, Permission>>;
  std::vector<List> lists_;
};

/// Whether a name fits a pattern: the same, or the beginning before a '*' at its end.
bool fits_pattern(std::string_view pattern, std::string_view name);

/// Whether it fits one of the patterns.
bool fits_any(std::span<const std::string> patterns, std::string_view name);

}  // namespace weft
