#pragma once

#include <string>
#include <vector>

#include "agent/research_book.h"
#include "agent/research_model.h"
#include "agent/research_stream.h"

namespace weft {

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
