#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flow/compaction/claim.h"

namespace weft {

/// What a constraint guards.
enum class AnchorKind : std::uint8_t {
  kSafety,      ///< what must not be done, and limits
  kPreference,  ///< how the user likes things
  kRole,        ///< who the assistant is and is not
  kTask,        ///< what belongs to the work and how it is done
};

/// A constraint that must hold for as long as a session lasts.
struct Anchor {
  AnchorKind kind = AnchorKind::kTask;
  std::string file;
  std::size_t line = 0;  ///< of the file, from 1
  std::string text;      ///< the statement, without list markers
  bool forbids = false;  ///< says that something must not be done
};

/// A text that anchors are taken from, with the name that it is known by ("AGENTS.md").
struct AnchorSource {
  std::string file, text;
};

/// The constraints stated in files that steer an agent (AGENTS.md, SOUL.md, USER.md) or in a system prompt: items of
/// lists under headings that announce constraints, and sentences that forbid, oblige, prefer or give a role, in Chinese
/// and English. Code, quotations, comments, front matter and examples are left out; each statement comes once.
/// Deterministic, linear; invalid UTF-8 reads as U+FFFD.
std::vector<Anchor> find_anchors(const std::vector<AnchorSource>& sources);

/// The constraints a user states while talking: orders not to do something, limits, wishes on how things are done.
/// Narrower than `find_anchors`: what is quoted or described is no constraint. `file` names where it was said.
std::vector<Anchor> find_spoken_anchors(std::string_view message, std::string_view file);

/// Whether the text still says what the anchor says, by content: see `StatedText::says`.
bool anchor_stands(const Anchor& anchor, const StatedText& context);

}  // namespace weft
