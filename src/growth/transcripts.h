#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/agent.h"
#include "weft/result.h"

namespace weft {

enum class TranscriptFormat { kMessages, kClaudeCode, kCodex, kOpenHands, kSweAgent, kTaskReports };
inline constexpr std::array kTranscriptFormats{TranscriptFormat::kMessages, TranscriptFormat::kClaudeCode,
                                               TranscriptFormat::kCodex,    TranscriptFormat::kOpenHands,
                                               TranscriptFormat::kSweAgent, TranscriptFormat::kTaskReports};
std::string_view to_string(TranscriptFormat format);

/// What was found in a file that another agent wrote.
struct Transcripts {
  TranscriptFormat format = TranscriptFormat::kMessages;
  std::vector<TaskReport> reports;
  std::vector<std::size_t> ends;  ///< for each report the byte of the text behind its task
  bool open = false;  ///< the last task is that of a session to which more may be added
  std::vector<std::string> problems;  ///< "FILE, line 7: …": what was left out, and why
  std::map<std::string, std::size_t> left_out;  ///< what nobody said, by kind
};

/// Where in a file the text stands that is to be read.
struct TranscriptPlace {
  std::string file = {};     ///< names the text in errors
  std::string source = {};  ///< of runs without an id: tells those of this file from others; empty: their content does
  std::string session = {};  ///< of what stood before, where the text begins in the middle
  std::int64_t tasks = 0;  ///< that stood before in the file
  bool whole = false;  ///< only a document that is a run as a whole is looked for, no lines
};

/// Reads the sessions of other agents as task reports. The format is told by the content: OpenAI-style messages (a
/// list, an object with "messages", or such an object a line), session files of Claude Code (see claude_transcript.h)
/// and of Codex (JSON Lines), event lists of OpenHands, trajectories of SWE-agent, task reports (a line each). Lines
/// that cannot be read are told and left out. A document is one run; in a session that is written line by line each
/// answer ends a task, and what is said to it begins the next. Reports are of provenance kImported; their ids come from
/// the content, so that the same task has the same id each time. kInvalidArgument where nothing in it is known, with
/// the formats that are.
Result<Transcripts> read_transcripts(std::string_view text, const TranscriptPlace& place);

}  // namespace weft
