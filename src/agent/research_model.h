#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/research_claims.h"
#include "agent/research_stream.h"

/// What a model does in a research. Each answer is bound to a schema, checked against what was found, and may be
/// missing: then the floor does it.
namespace weft {

/// An aspect to be looked at, and what to search for it.
struct OutlinePoint {
  std::string question, query;
};

/// An outline; `known` are headings and titles that were found so far.
std::optional<std::vector<OutlinePoint>> model_outline(ResearchStream& stream, const std::string& question,
                                                       ResearchKind kind, std::span<const std::string> known);

/// What a model makes of the sentences that were found.
struct ModelClaims {
  std::vector<ResearchClaim> claims;
  std::vector<ResearchDispute> disputes;
  std::vector<std::string> gaps, methods;
};

/// Claims from numbered sentences. A claim that cites none of them, or says a number that the cited ones do not say, or
/// has nothing to do with them, is dropped and noted. Nothing where no claim is left.
std::optional<ModelClaims> model_claims(ResearchStream& stream, const std::string& question,
                                        const std::vector<std::string>& outline,
                                        const std::vector<SourceStatement>& statements, const SourceBook& sources);

/// What a critic has against the claims: which are not borne out by their quotes, which contradict each other, and what
/// is missing.
struct Critique {
  std::vector<std::int64_t> unsupported;  ///< places of claims, from 1
  std::vector<ResearchDispute> disputes;
  std::vector<std::string> gaps;
};
std::optional<Critique> model_critique(ResearchStream& stream, const std::string& question,
                                       const std::vector<std::string>& outline,
                                       const std::vector<ResearchClaim>& claims, const SourceBook& sources);

/// A summary for prompts; one that says a number which no claim says is refused and noted.
std::optional<std::string> model_summary(ResearchStream& stream, const ResearchReport& report);

}  // namespace weft
