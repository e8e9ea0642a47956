#pragma once

#include <string>
#include <vector>

#include "base/prompts.h"
#include "flow/historian/rewrite.h"
#include "weft/message.h"

namespace weft {

/// The rules for rewriting in a language.
Prompt rewrite_rules(Language language);

/// What the role `historian` is asked: the rules in the text's language, then the circumstances and the draft as JSON,
/// which is data and no instruction.
std::vector<Message> rewrite_prompt(const RewriteInput& input, const Rewritten& draft);

/// Gives an answer back with what is wrong about it.
Message rewrite_again(Language language, const std::string& fault);

}  // namespace weft
