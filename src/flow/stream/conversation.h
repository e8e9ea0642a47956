#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "flow/stream/session_state.h"

namespace weft {

/// One message of a client's history, as far as recognising it needs it.
struct HistoryMark {
  std::uint64_t digest = 0;
  Role role = Role::kUser;
};

/// How a history whose client names no session stands to a conversation that it has something in common with.
enum class Relation {
  kSame,           ///< it ends where the conversation ends: the call is made once more
  kContinues,      ///< it goes on where the conversation ends
  kReplacesReply,  ///< the newest turn's answer, or steps of it, are asked for again
  kReplacesTurn,   ///< the newest user message was edited
  kOtherReply,  ///< the newest answer stands there in other words, and the talk goes on: perhaps the client changed it
  kOther,  ///< another conversation with a common beginning
};

/// The relation of a history to a living branch. They are equal in `known` messages, which are the history's first
/// ones and stand in the path from `offset` on.
Relation relation_of(std::span<const PathNode> path, std::size_t offset, std::size_t known,
                     std::span<const HistoryMark> history);

/// Whether one text is the other one edited or cut: one holds the other, or at least half of the longer one stands the
/// same at both ends. White space around them does not count.
bool is_edit_of(std::string_view text, std::string_view other);

/// The marks of a history without its system messages, and the chain (see `chained`) of each.
std::vector<HistoryMark> marks_of(std::span<const Message> spoken);
std::vector<std::uint64_t> chains_of(std::span<const HistoryMark> history);

}  // namespace weft
