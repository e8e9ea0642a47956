#pragma once

#include <string>
#include <vector>

namespace weft {

/// What the agent works on. It stands in every prompt, so that a long run does not lose its aim.
struct TaskState {
  std::string description;
  std::string type;  ///< such as "coding"; chooses preferences
  std::vector<std::string> done;
  std::string current;
  std::vector<std::string> remaining;
  std::vector<std::string> warnings;
  std::vector<std::string> constraints;  ///< what must be kept to, in every step

  bool empty() const {
    return description.empty() && current.empty() && done.empty() && remaining.empty() && warnings.empty() &&
           constraints.empty();
  }
};

/// What a user likes, with how sure it is.
struct Preference {
  std::string text;
  double confidence = 0;                ///< 0 to 1
  std::vector<std::string> task_types;  ///< empty: holds for every task
};

/// What a session is working on, until it is ended: it stands in each of its prompts, by whatever way they are made.
struct SessionTask {
  TaskState state;
  std::vector<Preference> preferences;  ///< that hold for this task
  std::string since;                    ///< RFC 3339; empty: there is none

  bool empty() const { return state.empty() && preferences.empty(); }
};

/// Something that was tried and failed. It is kept in sight, so that it is not tried again.
struct ErrorNote {
  std::string tried;    ///< what
  std::string reason;   ///< why it failed
  std::string handled;  ///< what was done about it; may be empty
};

/// A tool on offer.
struct ToolInfo {
  std::string name;
  std::string description;
  std::string parameters;  ///< JSON schema of its arguments; may be empty
};

}  // namespace weft
