#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "weft/message.h"

namespace weft {

/// Turns one message object into messages. `json` is its text, which has passed `check_json`; `object` is the same
/// parsed; `place` stands before the names of fields in errors ("messages[3]", or empty).
Result<std::vector<Message>> read_message(std::string_view json, const nlohmann::json& object, const std::string& place,
                                          const MessageLimits& limits);

/// Like `parse_message`, for a part of a text that has already passed `check_json`.
Result<std::vector<Message>> parse_checked_message(std::string_view json, const MessageLimits& limits);

/// The text of `content`: a string, null, or an array of parts of which text counts and others stand as "[image]" and
/// so on. Used for what may hold no calls: system prompts and results of tools.
Result<std::string> read_text(const nlohmann::json& content, const std::string& place);

}  // namespace weft
