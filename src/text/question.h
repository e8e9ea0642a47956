#pragma once

#include <string_view>

#include "text/words.h"

namespace weft {

/// Whether a text only asks: it ends with a question and says little else ("Thanks! What was it like?"). Such a text is
/// rarely what somebody looks for later, the answer after it is. Long questions tell of the asker's own matters and do
/// not count. Both languages.
bool is_bare_question(std::string_view text);

/// Whether a text speaks of who says it: "my", "we", 我, but for words that only ask for something, "How do I …?",
/// 帮我. Both languages; linear; safe from any thread.
bool speaks_of_who_asks(std::string_view text);

/// Whether a text asks and tells nothing by it: a bare question that is not about the asker's own matters, or that asks
/// for a fact of them ("Where do I live?"). "Which lens fits my Sony A7?" tells what camera the asker has and does not
/// count. Both languages.
bool only_asks(std::string_view text);

/// Whether an answer says that its speaker does not know: "I have no information about that.", 我不知道。 Short texts
/// only; both languages.
bool knows_no_answer(std::string_view text);

/// The words of the index that the entries of a list of lexicon/{en,zh}/FILE.txt give.
TermSet listed_terms(std::string_view file, std::string_view list);

/// The mark of a bare question among the terms of an item, so that it is kept without a field of its own. No word gives
/// it.
Term question_mark_term();

/// The same for an item whose text is Chinese.
Term chinese_term();

}  // namespace weft
