#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// A paragraph or an item of a list, with the headings above it.
struct MarkdownStatement {
  std::size_t line = 0;  ///< where it begins, from 1
  std::string text;      ///< its lines joined, without the marker of the list
  std::string heading;   ///< the nearest heading above it; empty: none
  bool item = false;     ///< of a list
};

/// What a block between <tag> and </tag>, each on a line of its own, is.
enum class Tagged {
  kSection,  ///< the author's own words; the tag is a heading
  kQuoted,   ///< material that a message brings along
};

/// The statements of a Markdown text in their order. Left out: fenced and indented code, quotations, HTML comments,
/// quoted blocks, front matter, tables, and everything under a heading or tag that announces examples. Linear in the
/// text.
std::vector<MarkdownStatement> markdown_statements(std::string_view text, Tagged tagged = Tagged::kSection);

}  // namespace weft
