#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/said_facts.h"
#include "model/rows.h"
#include "ports/chat/chat_model.h"
#include "weft/profile.h"

namespace weft {

/// What a model found users to state of themselves.
struct FactsOfModel {
  std::map<std::int64_t, std::vector<SaidFact>> facts;  ///< by the number of the message that says it
  std::string prompt;  ///< by name and version, as Writing has it
  std::string why_floor;  ///< why the answer was not taken, for the log
};

/// Asks a model, once, which lasting facts and standing wishes users state in these messages. Each must name the
/// message that says it and quote its words; what holds a number, a name or an id that stands neither there nor in the
/// speaker's name is left out, as is what the quote does not bear. At most 40 messages are shown, the newest. The
/// caller must hold no lock.
FactsOfModel facts_by_model(ChatModel& model, std::span<const MessageRow> messages,
                            const std::function<std::string(const MessageRow&)>& speaker, const Deadline& deadline);

/// A model's merge of new information into a profile.
struct ModelMerge {
  std::string body;       ///< with the marks of its sources; empty where it was not taken
  std::string why_floor;  ///< why not, for the log
  int model_calls = 0;
};

/// Lets a model word the profile anew. `draft` is what merging without a model made of it: the model's answer has to
/// hold what is new there, keep its names and numbers, and stay within the bounds on a model's merge. One that does
/// not is given back once with the reason. The caller must hold no lock.
ModelMerge merge_by_model(ChatModel& model, const Profile& before, const Profile& draft, const ProfileInfo& info,
                          const Deadline& deadline);

}  // namespace weft
