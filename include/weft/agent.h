#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/ids.h"
#include "weft/time.h"

namespace weft {

/// What happens to an agent. The first four are the specification's own (002, ch. 7); the others are what tools,
/// sub-agents, budgets and resuming need.
enum class BusEventType {
  kUserMessage,    ///< {"message": Message}: the task, or what a person says while it runs
  kToolResult,     ///< {"call": id, "output", "failed", "ms", "handle"?}
  kHumanResponse,  ///< {"question": id, "text", "choice"?, "timed_out"?}
  kAgentOutput,    ///< {"text", "outcome", "why"}: the end of a run
  kRunStarted,     ///< {"task", "type", "tools", "limits", "parent"?, "forked_from"?}
  kModelReply,     ///< {"message": Message, "model", "prompt_tokens", "completion_tokens", "ms"}
  kToolIntent,     ///< {"call": id, "name", "arguments", "effects", "key"?}: written before the tool is run
  kHumanQuery,     ///< {"question": Question}
  kSubAgentStarted,  ///< {"run", "task", "call"}
  kSubAgentEnded,    ///< {"run", "call", "outcome", "text"}
  kLimitReached,   ///< {"limit", "value", "what"}: calls, time, tokens, depth
  kCompacted,      ///< {"compaction": id, "tokens_before", "tokens_after"}
  kLesson,         ///< {"reflection": id, "text"}: what an error reflection says, into the running context
  kInterrupted,    ///< {"by", "why"}: stopped by a person or a signal; the run can be resumed
  kProgress,       ///< {"done", "current", "remaining"}: what the agent says of its plan
};

std::string_view to_string(BusEventType type);

/// One event of a run's stream. Events are numbered from 1 without gaps, and never change.
struct BusEvent {
  std::uint64_t id = 0;
  Time time;
  BusEventType type = BusEventType::kUserMessage;
  std::string payload;  ///< a JSON object, see the types
};

/// How a task ended, as far as it is known.
enum class Outcome { kUnknown, kSuccess, kFailure };
std::string_view to_string(Outcome outcome);

/// Who says so. A verifier is a program (a test, a checker); it counts before the user, and the user before the model.
enum class Witness { kNobody, kModel, kUser, kVerifier };
std::string_view to_string(Witness witness);

/// What the model says of its own task, by the tool `end`. Who did the work is the weakest witness of it.
enum class OutcomeClaim { kNone, kDone, kNotDone };
std::string_view to_string(OutcomeClaim claim);

/// What the user did with a result (002, 3.2).
enum class UserReaction { kNone, kSatisfied, kEdited, kAskedAgain, kComplained };
std::string_view to_string(UserReaction reaction);

/// Where what is learnt from comes from: what only tools, the web or other agents' transcripts say is not believed.
enum class Provenance { kOwnRun, kUser, kTool, kWeb, kImported };
std::string_view to_string(Provenance provenance);

/// One step of a task: a thought with an answer, or a call of a tool with its output.
struct ReportStep {
  std::int64_t number = 0;
  std::string agent;      ///< who took it: "main", or the id of a sub-agent's run
  std::string thought;    ///< of the model, before
  std::string tool;       ///< its name; empty: the step is text alone
  std::string arguments;  ///< JSON of the call
  std::string output;     ///< as the model saw it, the beginning of it where it is long
  bool failed = false;    ///< the tool said so, or what it said is a failure by its structure
  double ms = 0;
  std::int64_t tokens = 0;
};

/// What became of one task: what reflection reads. Made from the stream of a run, or from another agent's transcript.
struct TaskReport {
  std::string id;
  std::string run, session;  ///< where it happened
  std::string owner;   ///< key of the scope: "user:ann", "group:g"
  std::string task;    ///< as it was asked for
  std::string type;    ///< such as "coding"; may be empty
  std::string output;  ///< the final answer
  Outcome outcome = Outcome::kUnknown;
  Witness outcome_by = Witness::kNobody;
  OutcomeClaim claim = OutcomeClaim::kNone;  ///< where nobody else says it, it is the outcome, by the model
  UserReaction reaction = UserReaction::kNone;
  std::string reaction_text;  ///< what the user said or changed
  Provenance provenance = Provenance::kOwnRun;
  Time started, ended;
  std::int64_t tokens = 0, tool_calls = 0;
  std::string limit;  ///< which limit ended it; empty: none
  std::vector<ReportStep> steps;
  std::vector<std::string> rules, skills;  ///< ids of what stood in its prompts
  bool learn = true;  ///< false: it is kept, and nothing is made of it
};

}  // namespace weft
