#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/records.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft {

/// Writes a session's task: {"description", "type", "done", "current", "remaining", "warnings", "constraints",
/// "preferences", "since"}. What is empty is left out.
std::string to_json(const SessionTask& task);

/// Reads it, or a text alone, which is its description. Errors name the field and say what is wanted; a member that is
/// none of these is an error too. `place` names the value in errors. `since` is read as it stands.
Result<SessionTask> parse_session_task(std::string_view json, std::string_view place);

/// [{"text", "confidence", "task_types"}, …]
std::string to_json(const std::vector<Preference>& preferences);
Result<std::vector<Preference>> parse_preferences(std::string_view json, std::string_view place);

/// What is known of a task with what is newly given of it: a field that is given replaces what stood there, and another
/// description is another task.
TaskState merged(const TaskState& known, const TaskState& given);

}  // namespace weft
