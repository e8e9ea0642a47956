#pragma once

#include <string>

#include "base/deadline.h"
#include "flow/memory/profile_merge.h"
#include "ports/chat/chat_model.h"
#include "weft/profile.h"

namespace weft {

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
