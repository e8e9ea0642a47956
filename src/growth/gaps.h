#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ports/chat/chat_model.h"
#include "text/words.h"
#include "weft/growth.h"
#include "weft/task.h"

namespace weft {

enum class GapKind {
  kMissing,     ///< something that the task needs is not said
  kUncertain,   ///< an answer that hedges
  kWavering,    ///< an answer that does not decide
  kClash,       ///< an answer that is not as the user is believed to want it
  kPhysical,    ///< somebody must go, touch or speak
  kRestricted,  ///< a system to which a person has the key
  kTaste,       ///< what one likes, not what is true
};
std::string_view to_string(GapKind kind);

/// Something that stands between a task and a sure result.
struct Gap {
  GapKind kind = GapKind::kMissing;
  /// A person alone can close it. Else research can, and is to be tried first.
  bool ask = true;
  QuestionKind question = QuestionKind::kKnowledge;  ///< an action is something else than a judgement
  std::string what;                                  ///< what is missing, or the words that show it
  std::string text;                                  ///< the exact question, where there is one; else empty
  std::vector<std::string> choices;                  ///< that offer themselves
  std::string about;                                 ///< "belief:format", of a clash

  friend bool operator==(const Gap&, const Gap&) = default;
};

/// Gaps before a model is asked, without one: arguments that tools need for the task and that neither it nor what is
/// known says; what the task itself leaves open; and what lies at the border of what a program can do, unless a tool on
/// offer does it. Both languages; linear; safe from any thread.
std::vector<Gap> gaps_before(std::string_view task, std::span<const std::string> known,
                             std::span<const ToolInfo> tools);

/// Gaps that an answer shows: it says that it does not know, hedges in more than a sentence in five, cannot decide, or
/// is otherwise than told beliefs want it.
std::vector<Gap> gaps_after(std::string_view output, std::span<const Belief> told);

/// What a model says is missing.
struct ModelGaps {
  std::vector<Gap> gaps;
  std::string prompt;  ///< which, and its version
  std::string failed;  ///< why its answer could not be used; empty: it could
};

/// Asks a model what a task needs and does not have. For the caller to put beside `gaps_before`, which stands where it
/// fails or is late.
ModelGaps model_gaps(ChatModel& model, std::string_view task, std::span<const std::string> known,
                     std::span<const ToolInfo> tools, const Deadline& deadline);

/// How a gap is put to a person, by its template: what for, what exactly, and what is done without an answer.
/// `fallback` may be empty. Text, choices, kind and `about` are filled in; the rest is the caller's.
Question question_of(const Gap& gap, std::string_view task, const std::string& fallback);

/// The words of a tool's name and description.
std::set<Term> tool_terms(const ToolInfo& tool);

/// Arguments that the tools which a task speaks of need, and that nothing says: by the names, types, formats and
/// choices in their schemas. A schema that cannot be read needs nothing.
std::vector<Gap> missing_arguments(std::string_view task, std::span<const std::string> known,
                                   std::span<const ToolInfo> tools);

}  // namespace weft
