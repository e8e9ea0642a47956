#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Text made safe to stand inside a tag: &, <, >, quotes escaped; control characters, terminal codes and marks that
/// turn the direction of writing removed. Line breaks and tabs stay.
std::string escape_text(std::string_view text);

/// A profile as a fenced block that says whose it is. `id` is "user:ID" or "group:ID".
std::string fence_profile(std::string_view id, std::string_view text);

/// A summary of dropped turns, fenced in the same way.
std::string fence_summary(std::string_view summary);

}  // namespace weft
