#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flow/context/state_target.h"
#include "text/words.h"

namespace weft {

/// What is said of changes that were made: "Hero: hp changed from 85 to 80.", 主角的血从 85 变为 75。
std::string answer_text(const std::vector<NumberChange>& changes, const StateIndex& state, Language language);

/// What is said of a change that was asked for and not made: why, and which numbers may be meant.
std::string notice_text(const NumberDoubt& doubt, Language language);

/// The same of a change that was clear and then refused, with the reason.
std::string refusal_text(std::string_view reason, Language language);

}  // namespace weft
