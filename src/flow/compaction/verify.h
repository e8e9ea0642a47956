#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flow/compaction/material.h"
#include "text/token_counter.h"

namespace weft {

/// What a summary is held against.
struct VerifyTerms {
  const Material& material;
  const FactSet& elsewhere;       ///< key facts of what is sent beside the summary
  std::string_view sent_beside;   ///< the text of it: kept turns and the system prompt
  const std::vector<std::string>& anchors;  ///< rules that have to stand in what is sent
  std::int64_t budget = 0;        ///< tokens of the summary as rendered
  const TokenCounter& tokens;
};

/// What a check found.
struct Verified {
  std::vector<std::string> restored;  ///< what was missing and is in the summary now, in the original's words
  std::vector<std::string> missing;   ///< what did not find room
};

/// Puts back what a summary lost: every anchor, constraint, open item and goal, then every key fact that somebody said,
/// is looked for by content in the summary and in what is sent beside it. A statement counts as standing where its own
/// words do, or where one statement has nearly all of them with every number and the same negation. For constraints
/// without room, statements of less weight make place (done, then risks, decisions, facts). The order is fixed, so the
/// same input gives the same bytes.
Verified verify(const VerifyTerms& terms, Summary& summary);

/// Takes out of a model's summary what is not so: statements with an address, a path or an id that `known` does not
/// hold, and statements that say a rule of the material with its negation turned round. Gives what was taken out.
std::vector<std::string> remove_untrue(const Material& material, const FactSet& known, Summary& summary);

}  // namespace weft
