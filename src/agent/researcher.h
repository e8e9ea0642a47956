#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/research_claims.h"
#include "agent/research_stream.h"
#include "weft/task.h"

namespace weft {

// What a model does in a research. Each answer is bound to a schema, checked against what was found, and may be
// missing: then the floor does it.

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

/// Reads what a search or a reading tool of anybody gave: JSON with results under any of the usual names (url, link,
/// title, snippet, text, date …), at the top or below "results", "items" and their like; else text in which addresses
/// stand, each with the lines around it; else, with `asked` (the address that was to be read), the text itself. Never
/// fails: what says nothing gives no source.
FoundSources read_found(std::string_view output, const std::string& tool, Provenance provenance,
                        const std::string& asked = {});

/// The arguments of a call that searches for, or reads, `value`: by the names in the tool's schema, else its only text
/// that is required. Empty where no argument can take it.
std::string arguments_for(const ToolInfo& tool, const std::string& value, bool address);

/// The questions that a question is made of: parts that stand between "and", commas and question marks of their own
/// each get the matter they are about ("cost, safety and history of the bridge"). One entry, the question itself, where
/// it has no parts. Both languages.
std::vector<std::string> parts_of_question(const std::string& question);

/// An outline without a model: the question's own parts, else the headings below which the sources speak of it, those
/// of several sources first. At most `most`; the question itself where nothing offers itself.
std::vector<OutlinePoint> floor_outline(const std::string& question, std::span<const NumberedSource> sources,
                                        std::size_t most);

/// The words of a question that say what it is about, as a query for a search by words. Empty where these are all of
/// its words.
std::string words_to_search(const std::string& question);

/// One who finds something out: memory first, then outline, searches, what is worth reading, another search where
/// nothing was found, claims. It sees its own question and what its own calls gave, nothing else. Works on one stream;
/// not for several threads.
class Researcher {
 public:
  Researcher(ResearchStream& stream, std::string question, ResearchKind kind)
      : stream_(stream), question_(std::move(question)), kind_(kind) {}

  /// Finds out what it can. Errors are those of the stream, and that it is to stop; tools that fail and limits that are
  /// reached are told in what it gives.
  Result<Findings> run();

  // Its steps, for ways that put them together otherwise.
  Status ask_memory();
  /// One search with every tool there is, until no more calls may be made.
  Status search(const std::string& query);
  /// Reads the weightiest sources of which only a part is known, at most so many.
  Status read_best(std::size_t most);
  Result<FoundSources> read_file(const std::string& path, std::int64_t first_line);
  /// Claims for the aspects by the model, else by the floor.
  void draw_claims(const std::vector<std::string>& aspects);

  SourceBook& sources() { return found_.sources; }
  Findings take();

 private:
  Status choose_outline(std::vector<OutlinePoint>& points);
  Status work_off(const std::vector<OutlinePoint>& points);
  std::size_t witnesses_for(const std::string& aspect);
  void note_orders();

  ResearchStream& stream_;
  const std::string question_;
  const ResearchKind kind_;
  Findings found_;
  std::vector<std::int64_t> ordered_;  ///< sources with sentences that order the reader about, one a sentence
};

}  // namespace weft
