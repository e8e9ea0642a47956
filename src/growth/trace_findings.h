#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/likeness.h"
#include "weft/agent.h"

namespace weft {

/// What a trace shows by its structure.
enum class TraceSign {
  kDestructive,   ///< something that takes away failed or was refused
  kRefused,       ///< not allowed
  kMisuse,        ///< called in a way that the tool does not take
  kMissing,       ///< not there, not known
  kLimits,        ///< too long, too much
  kFailed,        ///< for another reason
  kLoop,          ///< the same call with the same result
  kLimitReached,  ///< the run was ended by a limit
  kVerdict,       ///< a verifier says that the result is wrong
  kEmpty,         ///< there is no final answer
  kSlow,
  kUnused,        ///< results that nothing refers to later
};

/// The key of its line in prompts/{en,zh}/remedies.md.
std::string_view key_of(TraceSign sign);

/// Something that was seen in one trace, at one tool.
struct TraceFinding {
  TraceSign sign = TraceSign::kFailed;
  std::string tool;  ///< empty where it is of none
  std::vector<std::int64_t> steps;  ///< their numbers; empty where it is of the whole
  std::string example;  ///< the words in which the first of them failed
  bool recovered = false;  ///< the same tool succeeded afterwards
  bool same_error = false;  ///< of several steps, all said the same
};

/// Everything that a trace shows, what weighs most first. Linear in the size of the trace.
std::vector<TraceFinding> findings_of(const TaskReport& report);

/// Whether a step failed: it is marked, or its output says so.
bool step_failed(const ReportStep& step);

/// The sign of one failed step.
TraceSign failure_sign(const ReportStep& step);

/// Whether a call takes something away that does not come back by itself: by the words of its tool's name, in commands
/// by the words at their beginnings.
bool is_destructive(const ReportStep& step);

/// How far what the step's output says can be believed: that of its tool.
Provenance provenance_of(const ReportStep& step);

/// What a user's message after a result says of it.
enum class FeedbackSign { kNone, kPraise, kCorrection, kComplaint, kRepeat, kEdit };
std::string_view to_string(FeedbackSign sign);

struct Feedback {
  FeedbackSign sign = FeedbackSign::kNone;
  std::string text;     ///< as the user said it
  std::string changed;  ///< of an edit: the lines that the user put in
};

/// By words alone, in English and Chinese: clauses that judge, as lexicon/{en,zh}/feedback.txt has them. A question or
/// a new task is no judgement, whatever words stand in it.
FeedbackSign judged(std::string_view text);

/// What the message says of the report's output: an edited version of it, the same question again (by `likeness`), or a
/// judgement in words.
Feedback feedback_in(std::string_view text, const TaskReport& report, const Likeness& likeness);

UserReaction reaction_of(FeedbackSign sign);

/// Puts what the user's reaction shows into the report: the reaction, and the outcome where no verifier has said more.
void take_feedback(const Feedback& feedback, TaskReport& report);

}  // namespace weft
