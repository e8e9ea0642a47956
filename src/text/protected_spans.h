#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Bytes of a text, end exclusive.
struct Span {
  std::size_t begin = 0, end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// The parts of a text that must stay as they are when it is rewritten: quoted speech ("…", “…”, '…', 「…」, 『…』),
/// titles 《…》, `code` and fenced code, URLs, e-mail addresses, @mentions, file paths and the given names (whole words
/// where they are written with letters; a name that is itself a pronoun protects nothing). Apostrophes open no
/// quotation. In order, without overlaps; an opening mark that is never closed protects nothing. Linear in the text for
/// a few names. Safe from any thread.
std::vector<Span> protected_spans(std::string_view text, const std::vector<std::string>& names = {});

/// Asks for positions in ascending order whether a span of `spans` covers any byte of them.
class SpanCursor {
 public:
  explicit SpanCursor(const std::vector<Span>& spans) : spans_(spans) {}

  /// Whether [begin, end) overlaps a span; `begin` never descends from call to call.
  bool covers(std::size_t begin, std::size_t end) {
    while (next_ < spans_.size() && spans_[next_].end <= begin) ++next_;
    return next_ < spans_.size() && spans_[next_].begin < end;
  }

 private:
  const std::vector<Span>& spans_;
  std::size_t next_ = 0;
};

/// The words of a text that machines made or read: hashes, uuids, order numbers, versions, file and host names,
/// snake_case and camelCase, addresses of machines, telephone numbers. Numbers that can be dates, times or amounts are
/// none of them ("5pm", "2nd", "12-Mar-2026", "90s"). In order, without overlaps. Linear. Safe from any thread.
std::vector<Span> identifier_spans(std::string_view text);

}  // namespace weft
