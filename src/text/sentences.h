#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace weft {

/// The bytes of the blank at `at`: white space, the wide space of Chinese texts (U+3000) or the no-break space
/// (U+00A0); 0 where none stands there.
constexpr std::size_t blank_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kWhite = " \t\r\n\f\v", kWide = "\u3000", kNoBreak = "\u00A0";
  if (at >= text.size()) return 0;
  if (kWhite.find(text[at]) != std::string_view::npos) return 1;
  return starts_at(text, at, kWide) ? kWide.size() : starts_at(text, at, kNoBreak) ? kNoBreak.size() : 0;
}

/// The bytes of the blank that ends the first `end` bytes of a text.
constexpr std::size_t blank_before(std::string_view text, std::size_t end) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{3}})
    if (size <= end && blank_at(text, end - size) == size) return size;
  return 0;
}

/// The text without such blanks before and behind it, as a view into it.
constexpr std::string_view without_blanks(std::string_view text) {
  while (const std::size_t size = blank_at(text, 0)) text.remove_prefix(size);
  while (const std::size_t size = blank_before(text, text.size())) text.remove_suffix(size);
  return text;
}

/// The sentences of a text in both languages, as views into it, trimmed, without empty ones. Line breaks end sentences;
/// decimal points, common abbreviations, URLs and file names do not.
std::vector<std::string_view> sentences(std::string_view text);

/// The text cut into parts of at most `max_tokens` by the given count: at paragraphs, else at sentences, else at words,
/// at worst between characters. Joined together the parts are the text. Never empty for a non-empty text.
std::vector<std::string_view> split_by_tokens(std::string_view text, std::int64_t max_tokens,
                                              const std::function<std::int64_t(std::string_view)>& count);

/// A piece of text to draw a summary from.
struct ExtractSource {
  std::string_view text;
  double weight = 1;  ///< how much its sentences matter: a question more than a long answer
  bool ends_matter = false;  ///< its first and last sentences matter most, as in an answer
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
