#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Text made safe to stand between two tags: "<" escaped wherever it could be read as the beginning of a tag, so that
/// it can neither close nor open one, and left where it compares numbers; control characters, terminal codes and marks
/// that turn the direction of writing removed. All else stays as it was written: quotes and "&" in it are read as they
/// are. Not for attributes (`escape_attribute`).
std::string escape_text(std::string_view text);

/// A profile as a fenced block that says whose it is. `id` is "user:ID" or "group:ID".
std::string fence_profile(std::string_view id, std::string_view text);

/// A summary of dropped turns, fenced in the same way.
std::string fence_summary(std::string_view summary);

/// What other sessions were about today and yesterday; empty for none.
std::string fence_days(std::string_view days);

/// Procedures that fit the task; empty for none.
std::string fence_skills(std::string_view skills);

}  // namespace weft
