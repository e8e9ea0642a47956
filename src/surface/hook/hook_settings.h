#pragma once

#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// Claude Code's settings.json with `command` at every event that Weft's hooks answer, in the place of an earlier one
/// of Weft. Hooks of others and all other settings stay, in their order. An empty text is a file that is not there yet.
/// kInvalidArgument where it is no JSON object, or its hooks have another form.
Result<std::string> with_weft_hooks(std::string_view settings, const std::string& command);

/// The same without Weft's hooks.
Result<std::string> without_weft_hooks(std::string_view settings);

/// A word as a shell takes it for one.
std::string shell_word(const std::string& word);

}  // namespace weft
