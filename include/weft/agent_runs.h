#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/agent.h"
#include "weft/growth.h"

namespace weft {

/// What a run may use; what is reached ends it with what there is. 0: as configured in [agent].
struct AgentLimits {
  std::int64_t tool_calls = 0;
  std::int64_t seconds = 0;  ///< of work; waiting for people does not count
  std::int64_t tokens = 0;   ///< of all model calls; at half of it the session is made smaller
  std::int64_t depth = 0;    ///< of sub-agents below sub-agents
  std::int64_t repeats = 0;  ///< of the same calls with the same results, one after the other
};

/// A program as a tool: it gets the arguments as JSON on standard input and answers on standard output; any exit code
/// but 0 is a failure. WEFT_TOOL_KEY, WEFT_RUN and WEFT_CALL stand in its environment.
struct AgentCommand {
  std::string name, description;
  std::string parameters;            ///< JSON schema of its arguments; empty: none
  std::vector<std::string> command;  ///< program and arguments, without a shell
  std::string effects = "some";  ///< "none": it only reads; "keyed": a second call of one key does nothing; "some"
  std::int64_t seconds = 0;      ///< it may take; 0: as configured
};

/// Which tools a run has.
struct AgentTools {
  std::vector<std::string> names;        ///< "memory_search", "file_*"; empty: all
  std::vector<std::string> permissions;  ///< "shell_run=ask": allow, ask or deny, over the setting's; never looser
  std::vector<AgentCommand> commands;
};

/// What an agent is to do.
struct AgentTask {
  std::string task;
  std::string type;   ///< such as "coding"; chooses the model's role, and preferences
  std::string model;  ///< the role of the model; empty: by the type
  AgentTools tools;
  AgentLimits limits;
  bool learn = true;  ///< false: nothing is learnt from the run, also when it goes on later
};

/// A run as it stands.
struct AgentRun {
  std::string id, owner, task, type, parent;
  std::string status;  ///< "running", "waiting", "ended", "interrupted", or "stopped" where its program ended
  std::string output, why, limit;  ///< the answer, why it ended so, and which limit ended it
  Outcome outcome = Outcome::kUnknown;
  OutcomeClaim claim = OutcomeClaim::kNone;  ///< what the model says of it
  Time started, newest;
  std::int64_t model_calls = 0, tool_calls = 0, tokens = 0;
  std::uint64_t events = 0;         ///< the number of the newest
  bool learn = true;                ///< false: it was begun without learning
  std::vector<Question> questions;  ///< that wait for a person
};

/// A person's answer to a question of a run.
struct AgentAnswer {
  std::string question;   ///< its id; empty: the only one that is open
  std::string text;       ///< what is said, or one of the choices
  std::string arguments;  ///< of an approval: JSON in the place of the arguments that were shown; empty: as they were
};

}  // namespace weft
