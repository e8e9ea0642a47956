#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/result.h"

namespace weft {

/// A turn with the messages before it, oldest first and by turns of two speakers, and how people rewrote it.
struct RewriteCase {
  std::string id;
  std::vector<std::string> context;
  std::string text;
  std::string rewritten;
  std::vector<std::string> references;  ///< further ways people wrote it
};

/// Reads JSON Lines of {"id", "context": [...], "text", "rewritten", "references"?}. Errors name file and line.
Result<std::vector<RewriteCase>> read_rewrites(const std::string& path);

/// The words and marks of a text in lower case, as they are compared.
std::vector<std::string> rewrite_words(const std::string& text);

/// BLEU with up to four words over a whole corpus: clipped against the reference that has most, brevity against the
/// reference nearest in length.
class Bleu {
 public:
  void add(const std::vector<std::string>& words, const std::vector<std::vector<std::string>>& references);

  /// Between 0 and 1; 0 while no four words match.
  double score() const;

 private:
  std::int64_t matched_[4] = {}, there_[4] = {};
  std::int64_t length_ = 0, reference_length_ = 0;
};

struct RewriteReport {
  std::int64_t turns = 0;
  double exact = 0;           ///< share equal to "rewritten", word for word
  double bleu4 = 0;
  double unchanged_kept = 0;  ///< share of the turns that need no rewriting that were left as they are
  double gate_passed = 0;  ///< share that holds no pronoun, relative time or place once the speakers are named too
  double copy_exact = 0;  ///< what copying the turns would reach
  double copy_bleu4 = 0;
};

/// Rewrites each turn from its context without any model. Errors: those of `read_rewrites`.
Result<RewriteReport> eval_rewrites(const std::vector<std::string>& files);

/// The report as one line of JSON: "turns", "exact", "bleu4", "unchanged_kept", "gate_passed", "copy".
std::string to_json(const RewriteReport& report);

}  // namespace weft
