#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/memory.h"
#include "weft/message.h"

namespace weft {

/// What the next model call is, as far as its context is concerned.
struct ContextRequest {
  std::string system;                    ///< the caller's own system prompt
  std::vector<Message> history;          ///< if given, the caller's own history; else the session's recent turns
  std::string input;                     ///< the user's new message; empty when the history ends with it
  std::int64_t window = 0;               ///< the model's context window in tokens; 0: as configured
  std::string model;                     ///< for exact token counts; empty: the configured main model
};

/// What became of one candidate for the prompt.
struct ReportItem {
  std::string id;
  std::string source;      ///< "message", "event", "narrative", "turn", "summary", …
  double score = 0;
  std::int64_t tokens = 0;
  bool kept = false;
  std::string why;         ///< "recalled", "recent", "duplicate of …", "over budget", …
  std::string preview;     ///< the first characters, for people
};

/// One section of the prompt with its budget.
struct ReportSection {
  std::string name;
  std::int64_t budget = 0, tokens = 0;
  std::vector<ReportItem> items;
};

/// The account of one assembly: every section, every item kept or dropped, and what each step took.
struct ContextReport {
  std::int64_t window = 0, usable = 0, tokens = 0;
  std::string token_mode;                          ///< "exact", "script" or "chars4"
  std::string by;                                  ///< "model" or "floor", of the recall
  std::vector<ReportSection> sections;
  std::int64_t prefix_equal_bytes = 0;             ///< of the prompt, compared with the last one of this session
  std::int64_t prompt_bytes = 0;
  std::vector<std::pair<std::string, double>> timings_ms;
};

/// A woven prompt: the messages to send, in OpenAI chat form, and how they came about.
struct WovenContext {
  std::vector<Message> messages;
  ContextReport report;
};

/// Reports as JSON, as `weft context --json` and the HTTP API show them.
std::string to_json(const ContextReport& report);
std::string to_json(const WovenContext& context);

}  // namespace weft
