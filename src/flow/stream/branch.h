#pragma once

#include <span>
#include <vector>

#include "flow/stream/observe.h"

namespace weft {

/// How a client's history relates to what is known of the session.
struct Alignment {
  std::size_t offset = 0;   ///< where in the path the client's history begins (clients drop old messages)
  std::size_t known = 0;    ///< how many of the client's messages stand in the path from there on
  std::size_t keep = 0;     ///< length of the path that stays; what is behind it was left
};

/// Recognises a resent history, also when its beginning was dropped.
/// A history of which nothing is known is taken as a continuation: everything stays and all of it is new.
Alignment align_history(const std::vector<PathNode>& path, std::span<const std::uint64_t> history);

/// Notes in the batch that erases a message that the message was erased, so that a client which sends its history again
/// does not bring it back. What is noted is a digest.
void note_erased(const ScopeKey& scope, std::uint64_t digest, WriteBatch& batch);

/// Places of the messages of a resent history that were erased. A message counts as erased if one like it was erased
/// from the scope and the path has none of that kind left for it. The end of the history (what follows the last answer,
/// or what that answer replies to and the answer) is new and never counts. `path`: the living branch, empty if it is
/// not known yet. Costs one look-up if nothing was erased from the scope.
Result<std::vector<std::size_t>> erased_before(Store& store, const ScopeKey& scope, const std::vector<PathNode>& path,
                                               std::span<const Message> history);

/// The history without the messages that were erased, see `erased_before`.
Status drop_erased(Store& store, const ScopeKey& scope, const std::vector<PathNode>& path,
                   std::vector<Message>& history);

/// Cuts the living branch after `keep` messages: what is behind is no longer active, nor is any item made from it; the
/// block at the cut is opened again, the topic it was in is built anew from what is left of it.
Status rewind(const StreamPorts& ports, SessionState& state, std::size_t keep, StreamChange& change);

/// The messages of the history from `from` on; those that are known from a branch that was left, below the state's
/// head, come back to life with their number.
Result<std::vector<Incoming>> follow_branch(Store& store, const SessionState& state, std::span<const Message> history);

}  // namespace weft
