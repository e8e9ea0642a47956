#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// What a word of a turn means, as a person judged it.
struct JudgedWord {
  std::string word;  ///< as it stands in the text, or the part of an expression that is surely in it
  std::vector<std::string> means;  ///< what may be set beside it: any of these is right
};

/// A turn with the messages before it, oldest first and by turns of two speakers.
struct RewriteCase {
  std::string id;
  std::vector<std::string> context;
  std::string text;
  std::string rewritten;  ///< how people rewrote it; empty: not known
  std::vector<std::string> references;  ///< further ways people wrote it
  std::string speaker, hearer;  ///< names; empty: "User" and "Assistant"
  Time spoken;
  std::vector<JudgedWord> judged;
};

/// Reads JSON Lines of {"id", "context": [...], "text", "rewritten"?, "references"?, "speaker"?, "hearer"?, "spoken"?,
/// "judged"?: [{"word", "means": [...]}]}. Errors name file and line.
Result<std::vector<RewriteCase>> read_rewrites(const std::string& path);

/// The words and marks of a text in lower case, Chinese by its characters, as they are compared.
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
  // What `balanced` keeps.
  double restored = 0;     ///< share that stands byte for byte once what was set beside its words is taken away
  double annotated = 0;    ///< share in which something was set beside a word
  double gate_passed = 0;  ///< share that leaves no pronoun, relative time or place unexplained
  std::int64_t right = 0, open = 0, wrong = 0;  ///< judged words: right meaning; several or none; another, or one where
                                                ///< nothing was judged
  // What `literal` keeps, against how people wrote it: certain meanings in the place of words.
  double exact = 0;  ///< share equal to "rewritten", word for word
  double bleu4 = 0;
  double unchanged_kept = 0;  ///< share of the turns that need no rewriting that were left as they are
  double copy_exact = 0;  ///< what copying the turns would reach
  double copy_bleu4 = 0;
};

/// Puts each turn in words that need no circumstances, as the historian does without a model. Errors: those of
/// `read_rewrites`.
Result<RewriteReport> eval_rewrites(const std::vector<std::string>& files);

/// The report as one line of JSON.
std::string to_json(const RewriteReport& report);

}  // namespace weft
