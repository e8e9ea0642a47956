#pragma once

#include <string>
#include <vector>

#include "flow/compaction/anchors.h"
#include "flow/compaction/probes.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft {

/// A session that is compacted once, with what came after it.
struct DriftSession {
  std::string id;
  std::string set;                 ///< the file it is from, or "shipped"
  std::vector<AnchorSource> files;  ///< AGENTS.md, SOUL.md, USER.md where it has them
  std::vector<Message> before;      ///< the whole history at the moment of compaction, system prompt first
  std::vector<Message> after;       ///< what really followed
  std::vector<Probe> probes;        ///< golden ones; those that the messages give are added by the evaluation
  bool derive_probes = true;
};

struct TraceFile {
  std::vector<DriftSession> sessions;
  std::size_t too_short = 0;  ///< runs with fewer than three steps of the assistant behind any history
};

/// Reads runs, JSON Lines of {"id", "messages"} in chat form. Each is cut before its third-last step of the assistant,
/// so that three steps follow; a call and its outputs stay on one side. Errors name file and line.
Result<TraceFile> read_traces(const std::string& path);

/// The sessions of data/sessions, in Chinese and English: hundreds of messages whose early statements are needed at
/// their end, with their files and golden probes.
std::vector<DriftSession> shipped_sessions();

}  // namespace weft
