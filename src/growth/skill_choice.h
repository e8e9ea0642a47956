#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ports/chat/chat_model.h"
#include "weft/skills.h"

namespace weft {

/// How many of the nearest skills a model chooses among.
inline constexpr std::size_t kChosenAmong = 8;
/// The best one is at least so near where a model is worth its time: what is further away fits nothing by any account.
inline constexpr double kWorthAsking = 0.3;

/// Which skills a task is told of, and who says so.
struct SkillChoice {
  std::vector<SkillMatch> matches;  ///< the best first
  std::string by;                   ///< "ranking", or which prompt, its version and the model
  std::string failed;               ///< why the model's answer could not be used; empty: it could, or none was asked
};

/// The first `most` of the ranking that fit.
SkillChoice chosen_by_ranking(std::span<const SkillMatch> ranked, std::size_t most);

/// Asks a model which of the ranked skills were made for the task: what it chooses is told, in its order, and nothing
/// else is. How firmly stays with the ranking, so that no answer makes a skill one to be followed: what it did not find
/// near enough is a reference. Where the model fails, is late or talks nonsense, the ranking stands.
SkillChoice chosen_by_model(ChatModel& model, std::string_view task, std::span<const SkillMatch> ranked,
                            std::size_t most, const Deadline& deadline);

}  // namespace weft
