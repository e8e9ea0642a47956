#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/han_text.h"
#include "text/plain_words.h"
#include "text/protected_spans.h"
#include "text/references.h"
#include "text/time_expressions.h"
#include "text/words.h"

namespace weft {

/// What is known about one text, each part made when it is first asked for and once: its words, what in it is to be
/// left alone, its times, its pronouns. Holds a view: the text must live as long. Not for several threads at once.
class TextAnalysis {
 public:
  /// `spoken`: when it was said, 0 where that is not known, then it has no times. `names`: of those who take part.
  explicit TextAnalysis(std::string_view text, Time spoken = {}, std::vector<std::string> names = {})
      : text_(text), spoken_(spoken), names_(std::move(names)) {}

  std::string_view text() const { return text_; }
  Time spoken() const { return spoken_; }
  const std::vector<std::string>& names() const { return names_; }

  /// Quotations, titles, code, addresses, identifiers, file names and the given names: what no rewriting touches.
  const std::vector<Span>& protected_parts();
  /// Numbers with units that are no times: "200 degrees", 1100块.
  const std::vector<Span>& measures();
  /// Words with their bytes and capitals, for English grammar.
  const LatinWords& words();
  /// Every word as it is compared: see `plain_words`.
  const std::vector<PlainWord>& plain();
  const HanBreaks& han();
  /// The sentences in order, by their bytes, without the blanks around them.
  const std::vector<Span>& sentences();
  /// Expressions of time between word borders, outside of what is protected and of measures.
  const std::vector<TimeExpression>& times();
  /// Pronouns and relative places outside of what is protected.
  const std::vector<Reference>& references();

 private:
  /// Whether a stretch begins or ends inside a Chinese word.
  bool cuts_word(std::size_t begin, std::size_t end);

  std::string_view text_;
  Time spoken_;
  std::vector<std::string> names_;
  std::optional<std::vector<Span>> protected_, measures_, sentences_;
  std::optional<LatinWords> words_;
  std::optional<std::vector<PlainWord>> plain_;
  std::optional<HanBreaks> han_;
  std::optional<std::vector<TimeExpression>> times_;
  std::optional<std::vector<Reference>> references_;
};

}  // namespace weft
