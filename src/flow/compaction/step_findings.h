#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"
#include "weft/message.h"

namespace weft {

/// What the output of a call says that is worth a line: counts and results that a program ends with, the exit code, the
/// values of JSON, of a long text how many lines it has and what it defines or begins with. At most `max_bytes`.
std::string finding_in(std::string_view output, std::size_t max_bytes);

/// Whether a sentence only announces what is done next ("Let me read the file.", 我先看一下代码。): the step itself
/// says what came of it.
bool is_announcement(std::string_view sentence);

/// What an agent's steps found out, a line each, oldest first: what the model concluded, and what each call came to.
/// Announcements are left out. `messages` are those of whole steps.
std::vector<std::string> step_findings(const std::vector<const Message*>& messages, Language language);

}  // namespace weft
