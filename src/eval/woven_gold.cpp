#include "eval/woven_gold.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "text/sentences.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kShareOfWords = 0.5;
constexpr std::size_t kEnoughWords = 100;

std::string unescape(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEscapes[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&amp;", '&'}};
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto escape = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                     [&](const auto& one) { return text.substr(at).starts_with(one.first); });
    plain += escape == std::end(kEscapes) ? text[at] : escape->second;
    at += escape == std::end(kEscapes) ? 1 : escape->first.size();
  }
  return plain;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text = " ";
  for (const std::string& word : words) text += word + " ";
  return text;
}

}  // namespace

WovenText::WovenText(std::string_view prompt) : words_(joined(index_words(unescape(prompt)))) {}

bool WovenText::holds(std::string_view message) const {
  std::size_t all = 0, found = 0;
  for (const std::string_view sentence : sentences(message)) {
    const auto words = index_words(sentence);
    all += words.size();
    if (!words.empty() && words_.find(joined(words)) != std::string::npos) found += words.size();
  }
  const auto half = static_cast<std::size_t>(kShareOfWords * static_cast<double>(all));
  return found > 0 && found >= std::min(half, kEnoughWords);
}

}  // namespace weft
