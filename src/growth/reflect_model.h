#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/deadline.h"
#include "ports/chat/chat_model.h"
#include "weft/growth.h"

namespace weft {

/// What a model is shown beside the report.
struct ReflectionMaterial {
  std::span<const TaskReport> reports;  ///< one, or those of a day
  std::int64_t failed_step = 0;         ///< the step that is asked about; 0: the whole
  std::string user_text;                ///< what the user said to the result
  std::span<const Rule> rules;          ///< that the agent follows
};

/// Asks a model to reflect, beginning with what the floor has found. A bad answer is asked for once more with what was
/// wrong; then, and where the model fails, `floor` is given back with the reason in `failed`.
///
/// What the model says is bound by what it was shown: with outputs of tools in the trace confidence is MEDIUM at most
/// (HIGH only where a restriction was borne out by the floor and by a user or verifier), severity is not above the
/// floor's unless a person's own words are all there is, and a suggestion that says what a passage of a tool's output
/// says is LOW and makes the whole of that output's provenance.
Reflection reflect_by_model(ChatModel& model, const ReflectionMaterial& material, Reflection floor,
                            const Deadline& deadline);

/// Reads and checks an answer; `steps` is the highest number of a step. The error says what is wrong, in words that a
/// model can act on.
Result<Reflection> read_reflection(std::string_view answer, std::int64_t steps);

/// The passage of a tool's output that a suggestion repeats: its provenance; kOwnRun where there is none.
Provenance repeated_from(const Suggestion& suggestion, std::span<const TaskReport> reports);

}  // namespace weft
