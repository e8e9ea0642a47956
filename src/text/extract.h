#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// A piece of text to draw a summary from.
struct ExtractSource {
  std::string_view text;
  double weight = 1;        ///< how much its sentences matter: a question more than a long answer
  bool ends_matter = false; ///< its first and last sentences matter most, as in an answer
};

/// The sentences that say most about the whole, in their order, within `max_tokens` (estimated by script), without near
/// repetitions. Deterministic. A sentence counts by the frequent words of the whole that it holds. Code blocks are
/// skipped.
std::vector<std::string> extract_sentences(const std::vector<ExtractSource>& sources, std::int64_t max_tokens);

/// Names that the texts define or use most: identifiers such as CamelCase words, snake_case words, file names, at most
/// `max`, most frequent first.
std::vector<std::string> extract_names(const std::vector<ExtractSource>& sources, std::size_t max);

/// The text without fenced code blocks.
std::string without_code(std::string_view text);

}  // namespace weft
