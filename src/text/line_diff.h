#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// A line of a comparison, without its line end.
struct DiffLine {
  enum class Kind { kSame, kRemoved, kAdded };
  Kind kind = Kind::kSame;
  std::string_view text;  ///< into the text it comes from

  friend bool operator==(const DiffLine&, const DiffLine&) = default;
};

/// What has to be taken out of `before` and put in to get `after`, line by line: the shortest way for texts that differ
/// in up to a thousand lines, else the middle part as a whole. A missing line end at the end does not count. The texts
/// must outlive the result. Linear in the size for bounded differences. Safe from any thread.
std::vector<DiffLine> line_diff(std::string_view before, std::string_view after);

/// The comparison for people: "-" and "+" before lines that differ, `context` lines that are the same around them, "@@"
/// with the line numbers before each part. Empty where nothing differs.
std::string show_diff(const std::vector<DiffLine>& diff, std::size_t context = 3);

/// Does to `now` what has to be done to `base` to get `wanted`, line by line. What was changed since `base` stays:
/// lines that were added are there, lines that were taken out or changed are not put back, and where both changed the
/// same line, that of `now` stands. Where `now` is `base` the result is `wanted`, byte for byte, and the other way
/// round.
std::string merge_lines(std::string_view base, std::string_view now, std::string_view wanted);

/// The text with each character that ends a line (of ASCII or of Unicode) replaced by `by`: nothing in it begins a line
/// of its own where that says so.
std::string with_line_breaks_as(std::string_view by, std::string_view text);

}  // namespace weft
