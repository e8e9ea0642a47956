#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/agent.h"
#include "weft/result.h"

namespace weft {

/// What was found in a file that another agent wrote.
struct Transcripts {
  std::string format;  ///< "messages", "claude_code", "codex", "openhands", "swe_agent"
  std::vector<TaskReport> reports;
  std::vector<std::string> problems;  ///< "FILE, line 7: …": what was left out, and why
};

/// Reads the sessions of other agents as task reports. The format is told by the content: OpenAI-style messages (a
/// list, an object with "messages", or such an object a line), session files of Claude Code and of Codex (JSON Lines),
/// event lists of OpenHands, trajectories of SWE-agent. Lines that cannot be read are told and left out. Reports are of
/// provenance kImported; their ids come from the content, so that the same run has the same id each time.
///
/// `file` names the text in errors. kInvalidArgument where nothing in it is known, with the formats that are.
Result<Transcripts> read_transcripts(std::string_view text, std::string_view file);

}  // namespace weft
