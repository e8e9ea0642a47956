#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/historian/resolve.h"

namespace weft {

/// A replacement in the original text. `listed` ones are reported as changes, the others are verb forms.
struct Edit {
  std::size_t begin = 0, end = 0;
  std::string by;
  bool listed = true;
  ChangeKind kind = ChangeKind::kPerson;
};

/// Appends the edits that put what is certain in the place of English pronouns and places, with the verb forms that
/// follow from them: "I am" becomes "Ann is".
void replace_english(TextAnalysis& analysis, const std::vector<Resolution>& resolutions, std::vector<Edit>& edits);

/// The same for Chinese, which has no forms.
void replace_chinese(const std::vector<Resolution>& resolutions, std::vector<Edit>& edits);

/// The same for times: "on 5 March 2026", 2026年3月5日.
void replace_times(TextAnalysis& analysis, std::vector<Edit>& edits);

/// The text with its edits, which may come in any order; of two that overlap the first holds. A capital at the
/// beginning of a sentence stays one.
Absolute apply_edits(std::string_view text, std::vector<Edit> edits);

}  // namespace weft
