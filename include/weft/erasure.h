#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/ids.h"
#include "weft/time.h"

namespace weft {

/// What is to be forgotten of one scope. Exactly one of the three is given.
struct EraseRequest {
  bool everything = false;
  std::vector<MessageId> messages;  ///< in any session of the scope
  std::optional<Time> before;       ///< all that was said before this moment
};

/// What was forgotten, as it is kept in erasures/ID.json: no text, and of ids only digests, so that it can be shown to
/// whoever asked for it and checked later.
struct EraseReceipt {
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
  std::size_t digests = 0, found = 0;
  bool clean() const { return found == 0; }
};

}  // namespace weft
