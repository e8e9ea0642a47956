#pragma once

#include <string_view>

namespace weft {

/// A long session written down in parts. A part is a run of lines "U|said by the user", "A|said by the assistant",
/// "C|tool|arguments", "T|output"; parts are parted by blank lines. "{n}" in a filler is the number of its use.
struct ShippedScript {
  std::string_view id;
  std::string_view agents, soul, user;  ///< AGENTS.md, SOUL.md, USER.md
  std::string_view facts;               ///< what must last, in order
  std::string_view fillers;             ///< ordinary work between the facts, used in turn
  std::string_view after;               ///< what follows the moment of compaction
  std::string_view probes;              ///< JSON Lines
};

extern const ShippedScript kShippedEnglish, kShippedChinese;

}  // namespace weft
