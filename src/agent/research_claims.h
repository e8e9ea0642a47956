#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/research_stream.h"
#include "flow/memory/likeness.h"

namespace weft {

/// A sentence with the lines that it stands on.
struct SourceSentence {
  std::string text;  ///< line breaks inside it are blanks, or nothing between Chinese characters
  std::int64_t first_line = 0, last_line = 0;
};

/// A text, Markdown or HTML document as a source: front matter (title, date, kind, source), title, and its paragraphs,
/// headings and entries of lists by their lines. `origin` is its path or URL; "source: URL" in the front matter takes
/// its place only for telling who published it. Text that is not UTF-8 is mended. Linear.
FoundSource read_source(std::string origin, std::string_view bytes);

/// HTML as text whose lines are those of the file: tags, scripts and styles are left out, characters written out.
std::string html_as_text(std::string_view html);

/// The sentences of a stretch. A paragraph that is broken over lines is one text.
std::vector<SourceSentence> sentences_of(const FoundPart& part);

/// Whether a sentence speaks to whoever reads it with a model ("ignore your instructions"), instead of telling
/// something. What does so is no claim. By words of both languages, see lexicon/*/safety.txt.
bool orders_the_reader(std::string_view sentence);

/// A sentence of a source that may answer an aspect.
struct SourceStatement {
  std::int64_t source = 0;  ///< its number
  std::int64_t first_line = 0, last_line = 0;
  std::string text, aspect;
  double fit = 0;  ///< 0 … 1: how well it fits the aspect
};

/// A source with its number, as claims are made from it.
struct NumberedSource {
  std::int64_t number = 0;
  int rank = 0;  ///< 0: weighs most, see `source_rank`
  const FoundSource* found = nullptr;
};

/// The sentences that fit an aspect best, those that fit most first: by words and, where an embedder serves, by
/// meaning; of equal ones that of the weightier source. What only asks, says nothing or orders the reader about is
/// none; what was left out for the last reason is counted in `ordered`, by source.
std::vector<SourceStatement> pick_statements(const std::string& aspect, std::span<const NumberedSource> sources,
                                             const Likeness& likeness, std::size_t most,
                                             std::vector<std::int64_t>& ordered);

/// How two statements on one matter differ, so that both cannot hold: numbers of one unit, dates, or that one denies
/// what the other says. None where they are on different matters (other names, other words), or agree.
std::optional<DisputeOf> differ_in(std::string_view a, std::string_view b, double likeness);

/// Whether two statements say the same, in whatever words: as alike as that, and with no number or date that the other
/// has otherwise.
bool say_the_same(std::string_view a, std::string_view b, double likeness);

/// Statements as claims: what says the same is one claim with several citations, in the words of the weightiest source.
/// Claims are chosen by how well they fit and how little they repeat each other (maximal marginal relevance: Carbonell
/// and Goldstein 1998); what contradicts a chosen claim is always chosen with it. States are not set.
std::vector<ResearchClaim> make_claims(std::vector<SourceStatement> statements, std::span<const NumberedSource> sources,
                                       const Likeness& likeness, std::size_t most);

/// Finds disputes among claims, counts independent witnesses and sets the states.
std::vector<ResearchDispute> judge_claims(std::vector<ResearchClaim>& claims, std::span<const ResearchSource> sources,
                                          const Likeness& likeness);

/// The sources of a research, each once and with its number. A value; not for several threads at once.
class SourceBook {
 public:
  /// Takes a source, or what is new of one that is known: the whole of it takes the place of parts. Gives its number.
  std::int64_t add(FoundSource found);
  void add_all(FoundSources found);

  /// As claims are made from them; the pointers hold until the next `add`.
  std::vector<NumberedSource> numbered(ResearchKind kind) const;
  /// As a report tells of them, with the witnesses that they are.
  std::vector<ResearchSource> described() const;
  const FoundSource* find(std::int64_t number) const;
  std::size_t size() const { return sources_.size(); }
  const std::deque<FoundSource>& all() const { return sources_; }

 private:
  std::deque<FoundSource> sources_;  ///< by number, less one
};

/// What somebody has found out.
struct Findings {
  std::vector<std::string> outline;
  SourceBook sources;
  std::vector<ResearchClaim> claims;
  std::vector<ResearchDispute> disputes;  ///< that a model saw; those of numbers are found at the end
  std::vector<std::string> gaps, methods, notes;
  std::string limit;
  std::int64_t tool_calls = 0;
  bool by_model = false;

  /// Takes over what another has found; sources get their numbers here.
  void take(Findings other);
};

/// Adds the text unless it is there.
void add_once(std::vector<std::string>& texts, std::string text);

}  // namespace weft
