#pragma once

#include <string>
#include <vector>

#include "weft/facets/facet.h"
#include "weft/growth.h"

namespace weft {

/// What became of a file that another agent wrote.
struct ImportedRuns {
  std::string format;  ///< "messages", "claude_code", "codex", "openhands", "swe_agent"
  std::vector<Reflection> reflections;  ///< one a run that is learnt from, also of runs that were known already
  std::vector<std::string> problems;    ///< what could not be read, with file and line
  std::vector<TaskReport> kept;         ///< runs that were only kept
};

/// Looking back at tasks: their reports, and what was made of them. Everything is of the caller's scope and told to
/// nobody else. A model that is asked has a deadline; without one the structure of the trace alone is looked at.
class Hindsight : public Facet {
 public:
  /// Reflects on a task that is over and keeps both. A report of an id that is known gives the reflection that is
  /// there. An empty owner is the caller's scope; another one is refused (kPermission).
  Result<Reflection> reflect(const TaskReport& report) const;
  /// Reads the runs of other agents, see `read_transcripts`, and reflects on each without a model. `file` names the
  /// text in errors. Without `learn` their reports are kept, and nothing is made of them.
  Result<ImportedRuns> import_runs(const std::string& text, const std::string& file, bool learn = true) const;
  /// Looks for what the tasks of a day ("YYYY-MM-DD"; empty: today) have in common. kNotFound where there were none.
  Result<Reflection> review(const std::string& day = {}) const;
  /// What the user said to the result of a task. kInvalidArgument where it says nothing of it.
  Result<Reflection> feedback(const std::string& report, const std::string& text) const;
  /// All, the oldest first.
  Result<std::vector<Reflection>> reflections() const;
  Result<std::vector<TaskReport>> reports() const;
  /// kNotFound where the caller has none of that id.
  Result<Reflection> reflection(const std::string& id) const;

 private:
  friend class Engine;
  using Facet::Facet;
};

}  // namespace weft
