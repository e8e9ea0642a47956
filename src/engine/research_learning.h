#pragma once

#include <memory>
#include <span>
#include <vector>

#include "agent/tool.h"
#include "engine/services.h"
#include "weft/research.h"

namespace weft {

/// What may be made of what was found, beside remembering it.
struct ResearchLearning {
  bool learn = true, ask = true;
};

/// Memory as a source of researches: its hits as `FoundSources`. What an earlier research left there says so by its
/// origin, so that it is no witness of its own.
std::shared_ptr<Tool> research_memory_tool(const Services& services);

/// Keeps what a research found (002, 6.2): all that its tools gave, and its summary, as what happened, in a session of
/// its own; claims that independent sources confirm in MEMORY.md, with date and source; ways of working as candidates
/// for rules, whose origin is the web or a tool, so that none becomes active without a person or an own success; what
/// is missing as questions. Made again it adds nothing. `events` are those of all of its streams. What cannot be kept
/// is noted in the report, which stands all the same.
void learn_from_research(const Services& services, const RequestContext& request, Time now,
                         const ResearchLearning& what, std::span<const BusEvent> events, ResearchReport& report);

}  // namespace weft
