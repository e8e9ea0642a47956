#pragma once

#include <cstdint>

#include "flow/compaction/material.h"
#include "flow/compaction/model_call.h"
#include "text/token_counter.h"
#include "weft/compaction.h"

namespace weft {

/// Fills the lists of a summary from the material without a model, within `budget` tokens as rendered.
///
/// Takes    statements by weight: what must stand first, then what says most for its length; no list takes the room of
///          the others. Then the key facts that are in none of them and not in `elsewhere` (what is sent beside the
///          summary), packed into lines of names and values; then again statements, while there is room.
/// Promises the same material gives the same bytes; statements are verbatim, oldest first in each list; the budget is
///          kept. A budget of nothing gives an empty summary.
/// Cost     n log n in the number of statements; 100,000 tokens take some tens of milliseconds with the material.
void summarise(const Material& material, const FactSet& elsewhere, std::int64_t budget, const TokenCounter& tokens,
               Summary& into);

/// Lines of key facts for the list of facts, "name: value" where the name is known, joined by commas; oldest first.
std::vector<std::string> fact_lines(std::vector<const RankedFact*> facts);

/// Tokens of a summary as it stands in the prompt.
std::int64_t rendered_tokens(const Summary& summary, const TokenCounter& tokens);

/// Lets a model write the lists of a summary, bound to a schema, at most `budget` tokens. `known` holds every key fact
/// the model was shown: statements with other addresses, paths or ids, and rules turned into their opposite, are taken
/// out and named in `removed`; an answer of which less than half is left, or that is empty, counts as nonsense and is
/// asked for again. On an error `into` is unchanged.
Status summarise_by_model(ChatModel& model, const MaterialSource& source, const Material& material,
                          const FactSet& known, std::int64_t budget, const CallLimits& limits, const Deadline& deadline,
                          Summary& into, std::vector<std::string>& removed);

}  // namespace weft
