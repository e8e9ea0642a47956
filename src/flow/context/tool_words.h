#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/words.h"
#include "weft/task.h"

namespace weft {

/// How much the words of each part of a tool count, and BM25's constants. Parameters help where tools are many and
/// alike; all of them at full weight drown the name. A large `b` holds back tools with long schemas.
struct ToolWordWeights {
  double name = 1.5;
  double description = 1;
  double parameter_name = 0.3;
  double parameter_description = 0.3;
  double value = 0.2;  ///< what an enumeration lists
  double k1 = 1.2;
  double b = 0.9;
};

/// The words of each part of a list of tools, as they stand. Immutable; safe from any thread.
class ToolTerms {
 public:
  explicit ToolTerms(std::span<const ToolInfo> tools);

  static constexpr std::size_t kParts = 5;  ///< in the order of `ToolWordWeights`
  using Parts = std::array<std::vector<Term>, kParts>;

  const std::vector<Parts>& tools() const { return tools_; }

 private:
  std::vector<Parts> tools_;
};

/// The words of a list of tools, weighted by where they stand (BM25F: the counts of the parts are summed before they
/// saturate, so that a word in the name and in the description is not taken for two). Immutable; safe from any thread.
class ToolWords {
 public:
  explicit ToolWords(const ToolTerms& terms, const ToolWordWeights& weights = {});

  /// The score of every tool for the words of a text, one entry a tool; 0 where none of them stands there.
  std::vector<float> score(std::string_view text) const;

  /// What a tool would score whose description says every word of the text very often.
  double most(std::string_view text) const;

 private:
  struct Posting {
    Term term;
    std::uint32_t tool;
    float count;  ///< weighted and brought to the usual length
  };

  std::span<const Posting> postings_of(Term term) const;

  std::size_t tools_;
  double k1_;
  std::vector<Posting> postings_;  ///< by term, then by tool
};

}  // namespace weft
