#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/words.h"
#include "weft/message.h"

namespace weft {

/// What a statement says, as terms that can be looked for in another text.
struct Claim {
  std::vector<std::vector<Term>> exact;  ///< identifiers, paths, numbers and limits ("at most"): word for word
  std::vector<Term> terms;               ///< its content words by stem; Chinese by character and by pair
  std::vector<std::vector<Term>> negated;  ///< for each negation the words it stands before
  std::vector<Term> in_negation;           ///< every word that a negation reaches
  std::size_t words = 0;                   ///< length of the statement
  std::vector<Term> sequence;              ///< all its words in order

  bool empty() const { return exact.empty() && terms.empty(); }
};

Claim make_claim(std::string_view text);

/// The identifiers, paths, addresses and `code` of a text, as views into it, in order and with repetitions: words with
/// digits, "_", "/", "@", an inner point or an inner capital.
std::vector<std::string_view> exact_names(std::string_view text);

/// A text read so that claims can be looked up in it. Linear to build; immutable afterwards, safe from any thread.
class StatedText {
 public:
  explicit StatedText(std::string_view text);

  /// The messages as a model reads them: content and calls; thoughts are not sent and do not count.
  explicit StatedText(const std::vector<Message>& messages);

  /// Whether the text says what the claim says: all identifiers, numbers and limits, four of five of its words, and
  /// each negation before what it negates, within a window about as long as the claim. A window in which a word of the
  /// claim is negated that was not does not count. Tolerates another order, inflections and words between; not another
  /// number, a dropped or an added "not". Word for word it stands whatever is said beside it.
  bool says(const Claim& claim) const;

  /// Whether some window of `words` words says all claims of one choice each of `facts`.
  bool says_together(const std::vector<std::vector<Claim>>& facts, std::size_t words) const;

 private:
  struct Token {
    Term word = 0, stem = 0, pair = 0;  ///< 0: none
    std::uint32_t clause = 0;
    bool content = false, negated = false, directly = false, opens = false;  // opens: right behind a negation
  };
  using Places = std::vector<std::uint32_t>;

  friend Claim make_claim(std::string_view text);
  void read(std::string_view text);
  void negate_clause(std::size_t begin, std::size_t end, const std::vector<std::size_t>& operators);
  const Places* places(Term term) const;
  bool has(Term term, std::size_t begin, std::size_t end) const;
  bool has_phrase(const std::vector<Term>& phrase, std::size_t begin, std::size_t end) const;
  bool has_negated(const std::vector<Term>& heads, std::size_t begin, std::size_t end) const;
  bool contradicts(const Claim& claim, std::size_t begin, std::size_t end) const;
  bool says_within(const Claim& claim, std::size_t begin, std::size_t end, bool together = false) const;
  bool says_literally(const Claim& claim) const;
  std::vector<std::uint32_t> candidates(const Claim& claim) const;

  std::vector<Token> tokens_;
  std::unordered_map<Term, Places> places_;
};

}  // namespace weft
