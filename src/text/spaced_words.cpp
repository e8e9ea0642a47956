#include "text/spaced_words.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::string_view kCurly = "’";

}  // namespace

std::string spaced_words(std::string_view normal, std::string_view gaps) {
  std::string row = " ";
  row.reserve(normal.size() + 2);
  for (std::size_t at = 0; at < normal.size(); ++at) {
    char c = normal[at];
    if (normal.substr(at).starts_with(kCurly)) {
      c = '\'';
      at += kCurly.size() - 1;
    }
    const bool gap = std::string_view(" \t\r\n").find(c) != std::string_view::npos || gaps.find(c) != gaps.npos;
    if (!gap)
      row += c;
    else if (row.back() != ' ')
      row += ' ';
  }
  if (row.back() != ' ') row += ' ';
  return row;
}

SpacedPhrases::SpacedPhrases(std::span<const std::string_view> phrases) {
  for (const std::string_view phrase : phrases) phrases_[phrase.substr(0, phrase.find(' '))].push_back(phrase);
  for (auto& [word, all] : phrases_)
    std::stable_sort(all.begin(), all.end(), [](auto a, auto b) { return a.size() > b.size(); });
}

// `at`: where a word of the row begins.
std::string_view SpacedPhrases::longest_at(std::string_view row, std::size_t at) const {
  const std::string_view rest = row.substr(at);
  const auto found = phrases_.find(rest.substr(0, rest.find(' ')));
  if (found == phrases_.end()) return {};
  for (const std::string_view phrase : found->second)
    if (rest.starts_with(phrase) && rest.substr(phrase.size()).starts_with(' ')) return phrase;
  return {};
}

bool SpacedPhrases::any_in(std::string_view row) const {
  for (std::size_t blank = row.find(' '); blank != row.npos && blank + 1 < row.size(); blank = row.find(' ', blank + 1))
    if (!longest_at(row, blank + 1).empty()) return true;
  return false;
}

std::string_view SpacedPhrases::begin_of(std::string_view row) const {
  return row.size() < 2 ? std::string_view() : longest_at(row, 1);
}

bool holds_any(std::string_view text, std::span<const std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](auto phrase) { return text.find(phrase) != text.npos; });
}

}  // namespace weft
