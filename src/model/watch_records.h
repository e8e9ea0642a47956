#pragma once

#include <array>

#include "text/record.h"
#include "weft/watch.h"

/// The descriptions of what those see who look on; see model/records.h.
namespace weft {

inline constexpr std::array kBlockStatuses{BlockStatus::kOpen, BlockStatus::kSealed, BlockStatus::kInterrupted};
template <>
inline constexpr std::span<const BlockStatus> kEnumValues<BlockStatus>{kBlockStatuses};
template <>
inline constexpr std::span<const HappeningKind> kEnumValues<HappeningKind>{kHappeningKinds};

WEFT_DESCRIBED(SessionSummary);
WEFT_DESCRIBED(WatchedTurn);
WEFT_DESCRIBED(WatchedTopic);
WEFT_DESCRIBED(WatchedTurns);
WEFT_DESCRIBED(PastContext);
WEFT_DESCRIBED(Happening);

}  // namespace weft
