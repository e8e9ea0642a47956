#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/ids.h"
#include "weft/time.h"

namespace weft {

/// What is to be forgotten of one scope. Exactly one of the three is given.
struct EraseRequest {
  bool everything = false;
  std::vector<MessageId> messages;  ///< of the session; where none is named, each must be of one session only
  SessionId session;                ///< of the messages; may be empty
  std::optional<Time> before;       ///< all that was said before this moment
};

/// What was forgotten, as it is kept in erasures/ID.json: no text, and of ids only digests, so that it can be shown to
/// whoever asked for it and checked later.
struct EraseReceipt {
  int version = 2;  ///< 1: messages were named without their session
  std::string id;
  std::string scope_digest;
  Time at;
  std::size_t messages = 0, items = 0, topics = 0, jobs = 0, profile_files = 0, summaries = 0;
  std::vector<std::string> digests;  ///< of every message and item that went, with its scope
  std::size_t files_searched = 0;  ///< of the workspace, byte by byte
  std::size_t traces_found = 0;  ///< of erased texts in them; 0 is what it should be
};

/// Whether what a receipt names is still gone.
struct EraseCheck {
  std::size_t digests = 0, found = 0;  ///< ids that the receipt names, and those of them that are there again
  std::size_t fingerprints = 0;  ///< pieces of erased texts that were looked for
  std::size_t files_searched = 0;  ///< of the workspace and of the backups it knows of
  std::vector<std::string> traces;  ///< paths of files in which one stands
  bool clean() const { return found == 0 && traces.empty(); }
};

/// What of a user stands in the memory of a group: it belongs to the group, and forgetting the user's own memory leaves
/// it there.
struct GroupTrace {
  std::string group_id;
  std::size_t events = 0;  ///< that name the user as the sender
  /// That the user wrote, or that those events are from, each with its session; forgetting them forgets all that was
  /// made of them.
  std::vector<std::pair<SessionId, MessageId>> messages;
};

}  // namespace weft
