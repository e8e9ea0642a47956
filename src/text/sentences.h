#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// The sentences of a text in both languages, as views into it, trimmed, without empty ones. Line breaks end sentences;
/// decimal points, common abbreviations, URLs and file names do not.
std::vector<std::string_view> sentences(std::string_view text);

/// The text cut into parts of at most `max_tokens` by the given count: at paragraphs, else at sentences, else at words,
/// at worst between characters. Joined together the parts are the text. Never empty for a non-empty text.
std::vector<std::string_view> split_by_tokens(std::string_view text, std::int64_t max_tokens,
                                              const std::function<std::int64_t(std::string_view)>& count);

}  // namespace weft
