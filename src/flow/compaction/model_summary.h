#pragma once

#include "flow/compaction/material.h"
#include "flow/compaction/model_call.h"
#include "weft/compaction.h"

namespace weft {

/// Lets a model write the lists of a summary, bound to a schema, at most `budget` tokens. `known` holds every key fact
/// the model was shown: statements with other addresses, paths or ids, and rules turned into their opposite, are taken
/// out and named in `removed`; an answer of which less than half is left, or that is empty, counts as nonsense and is
/// asked for again. On an error `into` is unchanged.
Status summarise_by_model(ChatModel& model, const MaterialSource& source, const Material& material,
                          const FactSet& known, std::int64_t budget, const CallLimits& limits, const Deadline& deadline,
                          Summary& into, std::vector<std::string>& removed);

}  // namespace weft
