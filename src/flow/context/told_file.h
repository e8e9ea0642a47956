#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "flow/context/fence.h"

namespace weft {

// Files of memory that people read, as a model may be given them: what is meant for programs left out (comments with
// the ids of messages, anchors), tags escaped, so that no text in them closes the fence or opens another one, and
// lines that Weft wrote of what tools and pages said announced where they read as if they gave orders.

/// A file as it is told.
struct ToldFile {
  std::string text;          ///< empty where there is nothing to tell
  std::size_t suspects = 0;  ///< lines that are announced
};

/// The lines of a day, not escaped and without a fence: what stands between other tags is escaped there.
ToldFile day_lines(std::string_view markdown);

/// A day (see `DayLog`) as a fenced block that says it is quoted. Over `most_bytes`, its earlier lines are left out and
/// counted. `date` is YYYY-MM-DD.
ToldFile tell_day(std::string_view date, std::string_view markdown, std::size_t most_bytes);

/// MEMORY.md (see `MemoryFile`) likewise; what is too much is left out at its end.
ToldFile tell_knowledge(std::string_view markdown, std::size_t most_bytes);

/// A profile likewise, see `fence_profile`: what it says was said by people, so nothing is announced. Lines are whole.
std::string tell_profile(const ProfileHead& head, std::string_view markdown, std::size_t most_bytes);

/// The lines of a profile that it did not have before, without those that only messages of `session` have said; empty
/// for none.
std::string tell_profile_changes(const ProfileHead& head, std::string_view before, std::string_view now,
                                 std::string_view session, std::size_t most_bytes);

}  // namespace weft
