#pragma once

#include <string>

#include "agent/research_claims.h"
#include "agent/research_stream.h"

namespace weft {

/// Researches the question on this stream and fills the report: `draft` has its id, owner, question, kind and when it
/// began. The same stream gives the same report: what was called is not called again. kCancelled where it is to stop:
/// then it can be gone on with. Everything else ends with a report, which says what is missing in it.
Result<ResearchReport> run_research(ResearchStream& stream, ResearchReport draft);

/// Researchers with contexts and streams of their own, at the same time, for the points of a plan; then a critic, whose
/// gaps are searched once more (002, 6.1).
Result<Findings> research_deeply(ResearchStream& stream, const std::string& question);

/// What was found as a report: sources that are cited, numbered anew; states; disputes; summary without a model.
void fill_report(ResearchReport& report, Findings found, const Likeness& likeness);

/// The summary without a model: each claim with its sources, state and dates, the surest first, in about `most` bytes.
std::string floor_summary(const ResearchReport& report, std::size_t most = 1600);

/// The report for people, in the language of the question.
std::string report_markdown(const ResearchReport& report);

}  // namespace weft
