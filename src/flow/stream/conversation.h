#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "flow/stream/observe.h"
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

/// How a client's history relates to what is known of the session.
struct Alignment {
  std::size_t offset = 0;  ///< where in the path the client's history begins (clients drop old messages)
  std::size_t known = 0;  ///< how many of the client's messages stand in the path from there on
  std::size_t keep = 0;  ///< length of the path that stays; what is behind it was left
};

/// Recognises a resent history, also when its beginning was dropped.
/// A history of which nothing is known is taken as a continuation: everything stays and all of it is new.
Alignment align_history(const std::vector<PathNode>& path, std::span<const std::uint64_t> history);

/// Notes in the batch that erases a message that the message was erased, so that a client which sends its history again
/// does not bring it back. A digest of the message is noted, and its chain (see `chained`).
void note_erased(const ScopeKey& scope, const MessageRow& message, WriteBatch& batch);
/// Does the same for a message that was never stored because an erasure covered it; notes only its digest.
void note_never_kept(const ScopeKey& scope, const Message& message, WriteBatch& batch);
/// Takes that back, in the batch that keeps a message of this chain anew.
void note_said_again(const ScopeKey& scope, std::uint64_t chain, WriteBatch& batch);

/// A client's history without the messages that were erased.
struct LeftHistory {
  std::vector<std::size_t> places;  ///< of what is left, in the history
  std::vector<std::uint64_t> chains;  ///< of what is left; what was erased counts in them
  bool has_gaps = false;  ///< messages were left out of a history that is whole, so its chains are not the path's
  bool says_again = false;  ///< the last message was erased before and is said anew
};

/// Finds what was erased of a history without system messages. The last message is what a call is made for, so it
/// stays. A chain decides: the same words elsewhere are another message. If the client has dropped or edited what stood
/// before it, a message still counts as erased if one like it was erased from the scope and none like it is left there.
/// Costs one look-up if nothing was erased from the scope.
Result<LeftHistory> without_erased(Store& store, const ScopeKey& scope, std::span<const Message> history);

/// Cuts the living branch after `keep` messages: what is behind is no longer active, nor is any item made from it; the
/// block at the cut is opened again, the topic it was in is built anew from what is left of it.
Status rewind(const StreamPorts& ports, SessionState& state, std::size_t keep, StreamChange& change);

/// The messages of the history from `from` on; those that are known from a branch that was left, below the state's
/// head, come back to life with their number.
Result<std::vector<Incoming>> follow_branch(Store& store, const SessionState& state, std::span<const Message> history);

}  // namespace weft
