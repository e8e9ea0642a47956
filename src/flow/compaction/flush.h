#pragma once

#include <functional>
#include <string>
#include <vector>

#include "flow/compaction/key_facts.h"
#include "flow/compaction/model_call.h"
#include "text/words.h"
#include "weft/compaction.h"

namespace weft {

/// What a flush reads and needs.
struct FlushSource {
  SessionId session;  ///< as candidates name it
  std::vector<const Message*> messages;  ///< that are about to be compacted, oldest first
  Time now;                              ///< of the candidates
  std::function<std::string()> new_id;   ///< gives each candidate its id
  Language language = Language::kEnglish;
};

/// Candidates by rules: what users say of their preferences, aims, limits and facts about themselves, in both
/// languages; what an assistant notes about them is not taken, small talk and questions neither. Of tools' outputs only
/// values that carry an id. Confidence comes from how plainly it was said. Each said once, with every message that said
/// it; at most 200, the surest first where there are more. Deterministic and linear.
std::vector<Candidate> flush_by_rules(const FlushSource& source);

/// Candidates by a model: a silent instruction (NO_REPLY), an answer bound to a schema. Candidates whose sources are
/// not among the messages, whose tags are unknown or whose ids, paths and addresses stand nowhere are left out. Errors
/// as `ask_model`; then `into` is unchanged.
Status flush_by_model(ChatModel& model, const FlushSource& source, const CallLimits& limits, const Deadline& deadline,
                      std::vector<Candidate>& into);

}  // namespace weft
