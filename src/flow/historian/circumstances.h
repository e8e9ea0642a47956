#pragma once

#include <cstdint>
#include <vector>

#include "flow/historian/end_job.h"
#include "flow/historian/rewrite.h"
#include "ports/store/store.h"

namespace weft {

/// What stood around the end of a turn: the messages it is about, those before them, and who takes part.
struct Circumstances {
  std::vector<MessageRow> sources;  ///< in order
  std::vector<MessageRow> before;  ///< the last few of the session before them, oldest first
  Person sender;  ///< who wrote the user's message, as it is to be written
  std::vector<Person> people;  ///< who spoke lately, each once; without the agent
  std::int64_t position = 0;  ///< of the first source in the stream, 0 where there is none
};

Result<Circumstances> read_circumstances(Store& store, const EndJob& end);

/// The end with its circumstances as the rewriting wants them: the agent speaks of what it did; what is new was said by
/// the sender to the agent.
RewriteInput rewrite_input(const Circumstances& around, const EndJob& end);

/// "On 5 March 2026 at 14:30 in Berlin:" or 2026年3月5日14:30，在北京：
std::string event_head(Time time, const std::string& place, Language language);

/// How the agent is called where it has no name of its own.
std::string agent_name(const std::string& given, Language language);

}  // namespace weft
