#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

/// A paragraph or an item of a list, with the headings above it.
struct MarkdownStatement {
  std::size_t line = 0;  ///< where it begins, from 1
  std::string text;  ///< its lines joined, without the marker of the list
  std::string heading;  ///< the nearest heading above it; empty: none
  bool item = false;  ///< of a list
};

/// What a block between <tag> and </tag>, each on a line of its own, is.
enum class Tagged {
  kSection,  ///< the author's own words; the tag is a heading
  kQuoted,  ///< material that a message brings along
};

/// The statements of a Markdown text in their order. Left out: fenced and indented code, quotations, HTML comments,
/// quoted blocks, front matter, tables, and everything under a heading or tag that announces examples. Linear in the
/// text.
std::vector<MarkdownStatement> markdown_statements(std::string_view text, Tagged tagged = Tagged::kSection);

/// What a constraint guards.
enum class AnchorKind : std::uint8_t {
  kSafety,  ///< what must not be done, and limits
  kPreference,  ///< how the user likes things
  kRole,  ///< who the assistant is and is not
  kTask,  ///< what belongs to the work and how it is done
};

/// A constraint that must hold for as long as a session lasts.
struct Anchor {
  AnchorKind kind = AnchorKind::kTask;
  std::string file;
  std::size_t line = 0;  ///< of the file, from 1
  std::string text;  ///< the statement, without list markers
  bool forbids = false;  ///< says that something must not be done
};

/// A text that anchors are taken from, with the name that it is known by ("AGENTS.md").
struct AnchorSource {
  std::string file, text;
};

/// The constraints stated in files that steer an agent (AGENTS.md, SOUL.md, USER.md) or in a system prompt: items of
/// lists under headings that announce constraints, and sentences that forbid, oblige, prefer or give a role, in Chinese
/// and English. Code, quotations, comments, front matter and examples are left out; each statement comes once.
/// Deterministic, linear; invalid UTF-8 reads as U+FFFD.
std::vector<Anchor> find_anchors(const std::vector<AnchorSource>& sources);

/// The constraints a user states while talking: orders not to do something, limits, wishes on how things are done.
/// Narrower than `find_anchors`: what is quoted or described is no constraint. `file` names where it was said.
std::vector<Anchor> find_spoken_anchors(std::string_view message, std::string_view file);

/// Whether the text still says what the anchor says, by content: see `StatedText::says`.
bool anchor_stands(const Anchor& anchor, const StatedText& context);

}  // namespace weft
