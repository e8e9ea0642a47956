#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weft/choices.h"
#include "weft/memory.h"
#include "weft/message.h"
#include "weft/plan.h"
#include "weft/task.h"

namespace weft {

/// What the next model call is, as far as its context is concerned.
struct ContextRequest {
  std::string system;                    ///< the caller's own system prompt
  std::vector<Message> history;          ///< if given, the caller's own history; else the session's recent turns
  std::map<std::size_t, std::string> said;  ///< by place in `history`: what the session has instead of a message's text
  std::string input;  ///< the user's new message; empty when the history ends with it
  std::int64_t window = 0;  ///< the model's context window in tokens; 0: as known of `model`
  std::string model;  ///< the model that is called, by name; empty: the configured main model
  std::int64_t output_tokens = 0;  ///< kept for the answer; 0: as configured
  std::int64_t other_tokens = 0;  ///< of what the call carries beside the messages: tools, images, a schema
  std::string system_messages;  ///< "one" or "several", as the model takes them; empty: as known of `model`
  bool observe = true;  ///< takes what is new in `history` into the session's stream first

  TaskState task;  ///< what is given of it replaces what the session's task says, and stays until the task is ended
  std::vector<Preference> preferences;  ///< beside those of the session's task and of the scope
  std::vector<ErrorNote> errors;  ///< further ones are found in the history
  std::vector<ToolInfo> tools;  ///< on offer; the fitting ones are described, see WovenContext::tools
  bool describe_tools = true;  ///< false: they are chosen only, since the call itself describes them

  /// Asks for the plan and both streams: the skeleton from state and quests, and curated lore, narrative and quests.
  bool planned = false;
  std::optional<PlanContext> plan;  ///< one from outside stands as it is; implies `planned`
  std::string state;  ///< name of the state to be rendered; empty: "default" where there is one
  std::string template_id;  ///< of the skeleton; empty: as the plan says
  std::string layout;  ///< "cache" or "spec"; empty: as configured
  bool skein = false;  ///< also as one text for plain models
  bool full = false;  ///< messages are written with their ids and times: not for strict chat APIs
  std::string request_id;  ///< of this very request: sent again, it changes no number a second time
};

/// `ReportItem::why` of a memory that a tool has said and that reads as if it gave orders: it is marked in the prompt.
inline constexpr std::string_view kSuspectWhy = "recalled, marked: it reads like instructions";

/// What became of one candidate for the prompt.
struct ReportItem {
  std::string id;
  std::string source;  ///< "message", "event", "narrative", "turn", "summary", …
  double score = 0;
  std::int64_t tokens = 0;
  bool kept = false;
  std::string why;  ///< "recalled", "recent", "duplicate of …", "over budget", …
  std::string preview;  ///< the first characters, for people
};

/// One section of the prompt with its budget.
struct ReportSection {
  std::string name;
  std::int64_t budget = 0, tokens = 0;
  double share = 0;  ///< of the usable window that it may take, as configured
  std::vector<ReportItem> items;
};

/// The account of one assembly: every section, every item kept or dropped, and what each step took.
struct ContextReport {
  std::int64_t window = 0, usable = 0, tokens = 0;
  std::string token_mode;  ///< "exact", "script" or "chars4"
  MadeBy by = MadeBy::kFloor;  ///< of the recall; of a planned prompt, of the plan
  std::string policy, layout;
  std::int64_t warn_at = 0, compact_at = 0;  ///< tokens from which a compaction is prepared, and done
  std::string compaction;  ///< id of the compaction whose summary stands in the prompt
  std::vector<std::string> compaction_missing;  ///< rules that were not found in it after a compaction; none should be
  std::vector<ReportSection> sections;
  std::int64_t prefix_equal_bytes = 0;  ///< of the prompt, compared with the last one of this session
  std::int64_t last_prompt_bytes = 0;  ///< of that last one
  std::vector<std::string> rules, skills;  ///< ids of the learnt ones that the prompt contains
  std::string prefix_break;  ///< the section at which the prompt begins to differ; empty: it went on
  std::int64_t prompt_bytes = 0;
  std::vector<std::pair<std::string, double>> timings_ms;
};

/// A woven prompt: the messages to send, in OpenAI chat form, and how they came about.
struct WovenContext {
  std::vector<Message> messages;
  ContextReport report;
  std::vector<std::string> tools;  ///< names of the tools that may be called in this step
  std::optional<PlanContext> plan;  ///< where one was asked for
  std::string skein;  ///< where asked for

  /// The input asked for a change of numbers only: it is done, and this is what to say. No prompt was woven then.
  std::string answer;
  /// What the input asked to change and was not changed, and why, in its language. The prompt says it, too.
  std::string notice;
  std::int64_t state_version = 0;  ///< of the state that was rendered or changed; 0: none
};

/// Reports as JSON, as `weft context --json` and the HTTP API show them.
std::string to_json(const ContextReport& report);
/// `full`: the messages with their ids and times; else as plain chat messages, which strict APIs take.
std::string to_json(const WovenContext& context, bool full = false);

}  // namespace weft
