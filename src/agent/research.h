#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/research_claims.h"
#include "agent/research_stream.h"
#include "text/record.h"
#include "weft/research.h"

namespace weft {

/// How much researches may do and where they look: research.json in the workspace, beside mcp.json, whose tools it
/// names. It is read when a research begins. A file that is not there is as if it were empty.
struct ResearchSettings {
  std::int64_t fact_calls = 5, topic_calls = 20, repository_calls = 15, deep_calls = 50;
  std::vector<std::string> search_tools, read_tools;  ///< SERVER_TOOL; a name may end in *
  std::vector<std::string> folders;  ///< each research has them; over HTTP only what lies below them may be named
  std::int64_t researchers = 3;      ///< of a deep research, at the same time
  std::int64_t runs = 4;             ///< researches at the same time
  std::int64_t seconds = 900, call_seconds = 60, model_seconds = 60;
  bool learn = true;  ///< keep what is confirmed, and hand ways of working on as candidates for rules
  bool ask = true;    ///< ask the user about what nothing was found of

  /// Calls of tools that this task may make: what it asks for, and no more than its kind may.
  std::int64_t calls_of(const ResearchTask& task) const;
  /// Where it looks: the task's own folders first, each once.
  std::vector<std::string> folders_of(const ResearchTask& task) const;
};

WEFT_DESCRIBED(ResearchSettings);

/// Reads research.json in this folder; errors name the field.
Result<ResearchSettings> read_research_settings(const std::filesystem::path& workspace);

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
