#pragma once

#include <string>

#include "ports/store/store.h"
#include "weft/block.h"

namespace weft {

/// Under which kind of document the decisions about a session's turns are kept, one a block, so that people can look up
/// later why a topic was cut. They hold numbers and names of signals, no text.
std::string decision_kind(const SessionId& session);

/// Keeps a decision with the batch that places its block; takes the place of one that was made of the block before.
void keep_decision(const ScopeKey& scope, const SessionId& session, const Decision& decision, Time time,
                   WriteBatch& batch);

}  // namespace weft
