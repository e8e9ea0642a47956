#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weft/growth.h"
#include "weft/result.h"

namespace weft {

/// The section of learnt rules in a file that other agents read (AGENTS.md, CLAUDE.md). It stands between two lines of
/// its own; what is outside of them is never touched.
inline constexpr std::string_view kSectionBegin = "<!-- weft:begin: `weft agent export` writes between these lines -->";
inline constexpr std::string_view kSectionEnd = "<!-- weft:end -->";

/// What stands between the two lines: active rules, then those on trial, marked as such, each on a line. In the
/// language of the rules. Empty where there are none.
std::string section_of(std::span<const Rule> rules);

/// Where a section stands in a text.
struct SectionPlace {
  std::size_t begin = 0, end = 0;                ///< with the two lines
  std::size_t inner_begin = 0, inner_end = 0;  ///< between them
};

/// None where there is no section. kConflict, with the line, where one of the two lines is missing or there twice:
/// nobody knows then what is whose. `file` names the text in errors.
Result<std::optional<SectionPlace>> find_section(std::string_view text, std::string_view file);

/// The text with this in its section; at the end where there was none. Without content an existing section goes, with
/// its two lines. Line ends are those of the text.
Result<std::string> with_section(std::string_view text, std::string_view content, std::string_view file);

/// What stands in the section now, with line feeds alone; none without one.
Result<std::optional<std::string>> section_in(std::string_view text, std::string_view file);

}  // namespace weft
