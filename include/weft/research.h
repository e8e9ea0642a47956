#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/agent.h"
#include "weft/choices.h"
#include "weft/time.h"

namespace weft {

/// What is to be found out (002, 6.1). Each kind has its own way, and may make so many calls of tools.
enum class ResearchKind {
  kFact,        ///< is one thing so? two or three sources; 5 calls
  kTopic,       ///< a matter from several sides, outline first; 20 calls
  kRepository,  ///< a project's files: README, structure, entry, configuration, core; 15 calls
  kDeep,        ///< several researchers at the same time, and a critic; 50 calls
};
std::string_view to_string(ResearchKind kind);

/// What kind of source something comes from. How much each weighs depends on what is asked, see `source_rank`.
enum class SourceKind {
  kOfficial,       ///< who is responsible for the matter: authorities, standards, a product's own documentation
  kEncyclopaedia,
  kPaper,
  kNews,
  kOfficialBlog,   ///< what its makers write of it
  kReport,         ///< of an industry, of analysts
  kMemory,         ///< what is remembered of earlier talks
  kProject,        ///< files of the project itself
  kOther,
};
std::string_view to_string(SourceKind kind);

/// How well a claim stands.
enum class ClaimState {
  kConfirmed,  ///< at least two independent sources say it, and none says otherwise
  kSingle,     ///< one source says it
  kDisputed,   ///< sources say otherwise
};
std::string_view to_string(ClaimState state);

/// By what two claims on one matter differ.
enum class DisputeOf { kNumber, kDate, kPolarity, kModel };
std::string_view to_string(DisputeOf what);

/// What is to be researched.
struct ResearchTask {
  std::string question;
  ResearchKind kind = ResearchKind::kTopic;
  std::vector<std::string> folders;  ///< of files that are sources; of a repository: the first one is it
  std::int64_t tool_calls = 0;       ///< fewer calls than the kind may make; 0: as many as it may
  bool without_model = false;        ///< by the floor, also where there is a model
  bool learn = true;  ///< false: nothing of it in MEMORY.md, and no ways of working
};

/// A source that something was found in.
struct ResearchSource {
  std::int64_t number = 0;  ///< by which the report cites it, from 1
  std::string origin;       ///< a URL, or the path of a file
  std::string title, date;
  SourceKind kind = SourceKind::kOther;
  Provenance provenance = Provenance::kTool;
  std::string tool;          ///< that found it
  std::int64_t copy_of = 0;  ///< the number of the source that it repeats or shares its origin with; 0: it stands alone
};

/// Where a source says something.
struct ResearchCitation {
  std::int64_t source = 0;
  std::int64_t first_line = 0, last_line = 0;  ///< of a file; 0: unknown
  std::string quote;  ///< as it stands there
};

/// Something that sources say.
struct ResearchClaim {
  std::string text, aspect;
  ClaimState state = ClaimState::kSingle;
  std::int64_t independent = 0;  ///< sources that say it, copies counted once
  std::vector<ResearchCitation> citations;
};

/// Claims that cannot hold together.
struct ResearchDispute {
  DisputeOf what = DisputeOf::kNumber;
  std::vector<std::int64_t> claims;  ///< their places in the list of claims, from 1
  std::string why;
};

/// What came of a research.
struct ResearchReport {
  std::string id, owner, question;
  ResearchKind kind = ResearchKind::kTopic;
  std::string status;  ///< "running", "ended", "failed", or "stopped" where its program ended: it can be resumed
  std::string failure;
  Time started, ended;
  MadeBy by = MadeBy::kFloor;  ///< who chose the claims and worded the summary
  std::string model;  ///< its name, where one took part
  std::vector<std::string> outline;  ///< what was looked at
  std::string summary;  ///< for a prompt: data, conclusions, sources, dates
  std::vector<ResearchClaim> claims;
  std::vector<ResearchDispute> disputes;
  std::vector<ResearchSource> sources;
  std::vector<std::string> gaps;  ///< what nothing was found of
  std::vector<std::string> questions;  ///< ids of what is asked of the user about them
  std::vector<std::string> methods;  ///< ways of working that the sources tell of
  std::vector<std::string> notes;  ///< what else is to be known: failed tools, what was left out and why
  std::vector<std::string> researchers;  ///< ids of the streams of those who worked for it
  std::string limit;  ///< which limit was reached; empty: none
  std::int64_t tool_calls = 0, tool_calls_most = 0;
  std::string markdown;  ///< the report for people
};

}  // namespace weft
