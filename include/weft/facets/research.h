#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/agent.h"
#include "weft/facets/facet.h"
#include "weft/research.h"

namespace weft {

/// Researches of a scope: jobs with a stream of events each, and a report at their end. Every claim of a report cites a
/// file and its line, or an address. What was found is remembered: all of it as what happened, and what several
/// independent sources confirm as knowledge. A research is seen by its own scope only: kNotFound for all others.
///
///     weft::Research(engine->agents(ann)).start({.question = "Who designed the bridge?"});
class Research : public Facet {
 public:
  /// Of the caller for whom the other facet was made.
  explicit Research(const Facet& of) : Facet(of) {}

  /// Begins a research, on a thread of its own. kInvalidArgument for an empty question or where there is no source,
  /// kNotFound for a folder that is not there, kTooLarge while as many are at work as may be.
  Result<ResearchReport> start(const ResearchTask& task) const;
  /// Goes on with one whose program ended; nothing that was found is asked for again. kConflict where it is at work or
  /// has ended.
  Result<ResearchReport> resume(const std::string& id) const;
  /// Stops one; it can be resumed.
  Result<ResearchReport> stop(const std::string& id) const;
  /// The report as it stands.
  Result<ResearchReport> show(const std::string& id) const;
  /// The newest first; behind the research `after`, unless it is empty.
  Result<std::vector<ResearchReport>> list(std::size_t limit = 100, const std::string& after = {}) const;
  /// The events behind this number of its stream, or of a researcher's ("ID-s1"). With `wait`, until there is one or
  /// the time has passed.
  Result<std::vector<BusEvent>> events(const std::string& id, std::uint64_t since = 0,
                                       std::chrono::milliseconds wait = {}) const;
};

}  // namespace weft
