#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow/historian/antecedents.h"
#include "text/analysis.h"

namespace weft {

/// Whom "they", "them" and "their" mean in an English text: the people who were named together, whoever acts through
/// people, or one of whom it is not said whether he or she. Nothing where two fit about equally or where things may be
/// meant. `not_these`: who talks. `plural` of what is returned says whether several are meant.
std::optional<Mention> who_are_they(TextAnalysis& analysis, const Antecedents& antecedents, const Reference& reference,
                                    const std::vector<std::string>& not_these);

}  // namespace weft
