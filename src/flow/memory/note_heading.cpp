#include "flow/memory/note_heading.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/statement_readers.h"
#include "text/lexicon.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

bool ends_a_sentence(View line) {
  static constexpr std::array<View, 14> kEnds{"。", "！", "？", "；", "：", "，", "…",
                                              ".",  "!",  "?",  ";",  ":",  ",",  "~"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](View mark) { return line.ends_with(mark); });
}

bool speaks_of_its_speaker(View line) {
  const auto words = lexicon("zh/telling", "speaker");
  return std::any_of(words.begin(), words.end(), [&](View word) { return line.find(word) != View::npos; });
}

// 姓名：王伟: one line of a form.
bool is_entry(View line) {
  constexpr std::size_t kLongestKey = 24;
  return std::min(line.find("："), line.find(':')) <= kLongestKey;
}

}  // namespace

std::string_view note_heading(std::string_view message) {
  constexpr std::size_t kLongest = 90;  // bytes: thirty Chinese characters
  const auto end = message.find('\n');
  if (end == View::npos) return {};
  const View line = trimmed(message.substr(0, end));
  const View rest = trimmed(message.substr(end));
  if (line.empty() || rest.empty() || line.size() > kLongest || language_of(line) != Language::kChinese) return {};
  const View next = trimmed(rest.substr(0, rest.find('\n')));
  if (next.ends_with("？") || next.ends_with('?') || ends_a_sentence(line) || speaks_of_its_speaker(line)) return {};
  if (is_entry(line) && is_entry(next)) return {};
  return read_said(line, {}).facts.empty() ? line : View();
}

}  // namespace weft
