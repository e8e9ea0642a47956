#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/growth_records.h"
#include "text/record.h"
#include "weft/agent_runs.h"
#include "weft/message.h"

/// The payloads of the events of a run, described once; which belongs to which type stands at `BusEventType`.
namespace weft {

struct RunStarted {
  std::string task, type, owner, model;
  std::string parent, parent_call;
  std::string forked_from;
  std::int64_t depth = 0;
  AgentLimits limits;  ///< all of them set
  AgentTools tools;
  bool learn = true;  ///< false: nothing is learnt from it, as long as it lasts
};

struct Said {
  Message message;
};

struct ModelReplied {
  Message message;
  std::string model;
  std::int64_t prompt_tokens = 0, completion_tokens = 0;
  double ms = 0;
  std::uint64_t seen = 0;  ///< the newest event that the prompt told of
};

struct Intended {
  std::string call, name, arguments, effects, key;
};

struct ToolAnswered {
  std::string call, output;
  bool failed = false;
  double ms = 0;
  std::string handle;  ///< where the output was cut: by which the whole is read
  Provenance provenance = Provenance::kTool;
  std::int64_t hidden = 0;  ///< characters that nobody sees and a model reads, taken out
};

struct Asked {
  Question question;
  std::string call;  ///< that waits for the answer
};

struct Answered {
  std::string question, text, choice, arguments;
  bool timed_out = false;
};

struct AgentOutput {
  std::string text, why;
  Outcome outcome = Outcome::kUnknown;
  std::uint64_t seen = 0;  ///< the newest event that it takes into account
  Witness by = Witness::kNobody;
  std::string verdict = {};  ///< what the verifier said, or why it said nothing
};

struct LimitReached {
  std::string limit, what;
  std::int64_t value = 0;
};

struct CompactedTo {
  std::string compaction;
  std::int64_t tokens_before = 0, tokens_after = 0;
};

/// What a run is told beside what was said in it: what a failed step teaches; the snapshot of what was learnt before,
/// and what of it does not hold any more; what its task leaves open.
struct LessonTold {
  std::string reflection, text;
  std::vector<std::string> rules, skills;  ///< that stand in `text`: "ID@VERSION"
  std::vector<std::string> withdrawn;      ///< of those told before, "ID@VERSION"
  std::vector<std::string> gaps;           ///< in words, that memory was asked about, and the user
  std::string skills_by = {};              ///< who chose the skills: "ranking", or a prompt and a model

  bool is_learnt() const { return !rules.empty() || !skills.empty() || !withdrawn.empty(); }
  bool empty() const { return text.empty() && !is_learnt() && gaps.empty(); }
};

struct Interrupted {
  std::string by, why;
};

struct ProgressTold {
  std::vector<std::string> done, remaining;
  std::string current;
};

struct SubAgent {
  std::string run, call, task, outcome, text;
};

WEFT_DESCRIBED(AgentLimits);
WEFT_DESCRIBED(AgentCommand);
WEFT_DESCRIBED(AgentTools);
WEFT_DESCRIBED(AgentTask);
WEFT_DESCRIBED(AgentRun);
WEFT_DESCRIBED(AgentAnswer);
WEFT_DESCRIBED(RunStarted);
WEFT_DESCRIBED(Said);
WEFT_DESCRIBED(ModelReplied);
WEFT_DESCRIBED(Intended);
WEFT_DESCRIBED(ToolAnswered);
WEFT_DESCRIBED(Asked);
WEFT_DESCRIBED(Answered);
WEFT_DESCRIBED(AgentOutput);
WEFT_DESCRIBED(LimitReached);
WEFT_DESCRIBED(CompactedTo);
WEFT_DESCRIBED(LessonTold);
WEFT_DESCRIBED(Interrupted);
WEFT_DESCRIBED(ProgressTold);
WEFT_DESCRIBED(SubAgent);

/// The tool with which the model ends a task.
inline constexpr std::string_view kEnd = "end";
/// What a call of it says of the task; kNone for another tool, and where it says nothing.
OutcomeClaim claim_of(std::string_view tool, const std::string& arguments);

/// The payload of an event; kCorrupt, naming the event, for what is not of its type.
template <Described T>
Result<T> payload_of(const BusEvent& event) {
  auto read = parse_record<T>(event.payload, "payload", {.max_bytes = event.payload.size() + 1});
  if (!read.ok()) return corrupt("event " + std::to_string(event.id) + ": " + read.error().message);
  return read;
}

}  // namespace weft
