#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "agent/research_claims.h"
#include "agent/research_records.h"

namespace weft {

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
