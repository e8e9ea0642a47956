#pragma once

#include <array>

#include "model/growth_records.h"
#include "weft/skills.h"

/// The descriptions of what is done with skills; see model/records.h.
namespace weft {

inline constexpr std::array kSkillUses{SkillUse::kFollow, SkillUse::kReference};
template <>
inline constexpr std::span<const SkillUse> kEnumValues<SkillUse>{kSkillUses};
inline constexpr std::array kSkillActions{SkillAction::kApprove,  SkillAction::kRetire,  SkillAction::kPin,
                                          SkillAction::kUnpin,    SkillAction::kDisable, SkillAction::kEnable,
                                          SkillAction::kRollBack, SkillAction::kRemove};
template <>
inline constexpr std::span<const SkillAction> kEnumValues<SkillAction>{kSkillActions};
WEFT_DESCRIBED(SkillMatch);
WEFT_DESCRIBED(SkillChange);
WEFT_DESCRIBED(SkillLesson);
WEFT_DESCRIBED(SkillFile);
WEFT_DESCRIBED(SkillFolder);

}  // namespace weft
