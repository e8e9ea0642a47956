#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/historian/absolutise.h"
#include "text/analysis.h"

namespace weft {

/// What a word of a text means in its circumstances.
struct Resolution {
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  ChangeKind kind = ChangeKind::kPerson;
  Reference reference;             ///< of persons, things and places
  std::vector<std::string> meant;  ///< one: that is certain; several: one of these
  bool plural = false;             ///< several are meant at once

  bool sure() const { return meant.size() == 1; }
};

/// Who or what the pronouns and relative places of a text mean: its speaker and hearer, those whom the text or the
/// messages before it name, by gender, number and nearness. A word of whose meaning nothing can be said has no
/// resolution. In the order of the text.
std::vector<Resolution> resolve_references(TextAnalysis& analysis, const Speech& speech);

/// The times that are seen from the moment of speaking, with what they mean. In the order of the text.
std::vector<Resolution> resolve_times(TextAnalysis& analysis);

}  // namespace weft
