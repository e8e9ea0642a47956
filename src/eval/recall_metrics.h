#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weft/time.h"

namespace weft {

/// A question about a conversation with the messages that answer it.
struct LabelledQuestion {
  std::string id, query, category;
  /// Pieces of evidence: of each group any one message is enough.
  std::vector<std::vector<std::string>> groups;
  std::optional<Time> asked = {};
  std::vector<std::string> answers = {};  ///< words that a complete answer holds: one of them, of a list all
  std::vector<std::string> stale = {};    ///< words of what does not hold any more
  std::string answer = {};    ///< as a person would give it; empty: see `answers`, else not given in words
  bool unanswerable = false;  ///< by its category: what is asked for was never said
};

/// Shares of the evidence that were found, as means over questions.
struct RecallScore {
  static constexpr std::array<std::size_t, 3> kCuts{5, 10, 25};

  std::size_t questions = 0;
  std::array<double, 3> recall{};  ///< share of the groups with a message among the first 5, 10, 25
  double any = 0;                  ///< some group among the first 5
  double all = 0;                  ///< all groups among the first 5
};

/// Sums scores of questions; `mean` of none is all zero.
class RecallTally {
 public:
  /// `ranked`: message ids, the best first; repetitions count as one place.
  void add(const LabelledQuestion& question, const std::vector<std::string>& ranked);

  RecallScore mean() const;
  std::map<std::string, RecallScore> mean_by_category() const;

 private:
  RecallScore all_;
  std::map<std::string, RecallScore> by_category_;
};

}  // namespace weft
