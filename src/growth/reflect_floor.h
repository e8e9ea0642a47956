#pragma once

#include <span>
#include <string>
#include <string_view>

#include "growth/trace_findings.h"
#include "weft/growth.h"

namespace weft {

/// Reflections without a model, from what the trace shows by its structure and a table of known remedies
/// (prompts/{en,zh}/remedies.md), in the language of the task. Confidence is MEDIUM where a sign was seen more than
/// once, else LOW; never HIGH. Severity is HIGH only where something was to be taken away and that failed or was
/// refused. Id, time and owner are left to the caller, all else is filled in.

/// Of a whole task.
Reflection floor_task_end(const TaskReport& report);
/// Of one failed step of a task that still runs.
Reflection floor_error(const TaskReport& so_far, const ReportStep& failed);
/// Across the tasks of a day: only what was seen in two of them or more.
Reflection floor_review(std::span<const TaskReport> day);
/// Of what a user said to a result.
Reflection floor_feedback(const TaskReport& report, const Feedback& feedback);

/// The weakest of the report itself and of the outputs of those steps.
Provenance weakest(Provenance a, Provenance b);

}  // namespace weft
