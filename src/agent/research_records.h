#pragma once

#include <array>
#include <vector>

#include "text/record.h"
#include "weft/research.h"

/// The descriptions of researches, and of what their tools give.
namespace weft {

inline constexpr std::array kResearchKinds{ResearchKind::kFact, ResearchKind::kTopic, ResearchKind::kRepository,
                                           ResearchKind::kDeep};
template <>
inline constexpr std::span<const ResearchKind> kEnumValues<ResearchKind>{kResearchKinds};
inline constexpr std::array kSourceKinds{SourceKind::kOfficial, SourceKind::kEncyclopaedia, SourceKind::kPaper,
                                         SourceKind::kNews,     SourceKind::kOfficialBlog,  SourceKind::kReport,
                                         SourceKind::kMemory,   SourceKind::kProject,       SourceKind::kOther};
template <>
inline constexpr std::span<const SourceKind> kEnumValues<SourceKind>{kSourceKinds};
inline constexpr std::array kClaimStates{ClaimState::kConfirmed, ClaimState::kSingle, ClaimState::kDisputed};
template <>
inline constexpr std::span<const ClaimState> kEnumValues<ClaimState>{kClaimStates};
inline constexpr std::array kDisputesOf{DisputeOf::kNumber, DisputeOf::kDate, DisputeOf::kPolarity, DisputeOf::kModel};
template <>
inline constexpr std::span<const DisputeOf> kEnumValues<DisputeOf>{kDisputesOf};

/// A stretch of a source: a paragraph, a heading, an entry of a list.
struct FoundPart {
  std::int64_t first_line = 0, last_line = 0;  ///< of a file, from 1; 0: unknown
  bool heading = false;
  std::string text;  ///< its lines as they stand, with their breaks
};

/// A source as a tool found it, with the stretches that it gave of it.
struct FoundSource {
  std::string origin, title, date;
  SourceKind kind = SourceKind::kOther;
  Provenance provenance = Provenance::kTool;
  std::string tool;
  bool whole = false;       ///< all of it is there, or as much of it as one call gives
  std::vector<std::uint32_t> sketch;  ///< of the whole text, see `text_sketch`; none where only a part is known
  std::vector<FoundPart> parts;
};

/// What one call of a tool found.
struct FoundSources {
  std::vector<FoundSource> sources;
  std::vector<std::string> notes;
};

WEFT_DESCRIBED(ResearchTask);
WEFT_DESCRIBED(ResearchSource);
WEFT_DESCRIBED(ResearchCitation);
WEFT_DESCRIBED(ResearchClaim);
WEFT_DESCRIBED(ResearchDispute);
WEFT_DESCRIBED(ResearchReport);
WEFT_DESCRIBED(FoundPart);
WEFT_DESCRIBED(FoundSource);
WEFT_DESCRIBED(FoundSources);

}  // namespace weft
