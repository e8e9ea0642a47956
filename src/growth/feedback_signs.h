#pragma once

#include <string>
#include <string_view>

#include "flow/memory/likeness.h"
#include "weft/agent.h"

namespace weft {

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
