#pragma once

#include <string>
#include <string_view>

#include "text/words.h"
#include "weft/time.h"

namespace weft {

/// Text made safe to stand between two tags: "<" escaped wherever it could be read as the beginning of a tag, so that
/// it can neither close nor open one, and left where it compares numbers; control characters, terminal codes and marks
/// that turn the direction of writing removed. All else stays as it was written: quotes and "&" in it are read as they
/// are. Not for attributes (`escape_attribute`).
std::string escape_text(std::string_view text);

/// A day for people and models: "Sunday, 3 May 2026", 2026年5月3日 星期日.
std::string day_in_words(Time time, Language language, bool weekday);

/// Whose profile it is.
struct ProfileHead {
  std::string name;  ///< empty: not known
  bool group = false;
  Time updated = {};  ///< the last change; the beginning of time: not known
};

/// A profile as a fenced block that says in `language` whose it is and until when it was kept up: without titles and
/// blank lines, its sections and days in words; empty where it holds no line. `body` has no markers.
std::string fence_profile(const ProfileHead& head, std::string_view body, Language language);

/// Lines of a profile that are new since it was last told, in the same form.
std::string fence_profile_changes(const ProfileHead& head, std::string_view lines, Language language);

/// A summary of dropped turns, fenced. What this and the next ones say themselves is in the language of the text.
std::string fence_summary(std::string_view summary);

/// What other sessions were about today and yesterday; empty for none.
std::string fence_days(std::string_view days);

/// Procedures that fit the task; empty for none.
std::string fence_skills(std::string_view skills);

/// The lines of what the user likes; empty for none.
std::string fence_preferences(std::string_view lines);

}  // namespace weft
