#include <algorithm>
#include <array>

#include "base/lowered.h"
#include "flow/memory/said_facts.h"
#include "flow/memory/statement_readers.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

constexpr std::size_t kLongestPart = 60;

std::optional<SaidCorrection> correction(View wrong, View right) {
  wrong = trim_marks(wrong);
  right = trim_marks(right);
  for (const View word : {"而是", "是", "应该是"})
    if (right.starts_with(word)) right.remove_prefix(word.size());
  if (right.empty() || right.size() > kLongestPart || wrong.size() > kLongestPart || wrong == right)
    return std::nullopt;
  return SaidCorrection{std::string(wrong), std::string(right)};
}

std::optional<SaidCorrection> in_chinese(View text) {
  // 不是周二，是周四
  if (const auto no = text.find("不是"); no != View::npos) {
    const View rest = text.substr(no + std::string_view("不是").size());
    for (const View mark : {"，而是", "而是", "，应该是", "，是", ",是", "，", ","}) {
      const auto at = rest.find(mark);
      if (at != View::npos && at > 0) return correction(rest.substr(0, at), rest.substr(at + mark.size()));
    }
  }
  for (const View mark : {"说错了，应该是", "说错了，是", "记错了，应该是", "记错了，是", "搞错了，应该是",
                          "搞错了，是", "更正一下，是", "更正：应该是", "更正：", "我是说", "我的意思是", "应该是"}) {
    const auto at = text.find(mark);
    if (at != View::npos && at <= 24) return correction({}, text.substr(at + mark.size()));
  }
  return std::nullopt;
}

bool begins_to_correct(View lower) {
  for (const View word : {"no", "sorry", "wait", "oops", "actually", "correction", "my mistake", "my bad", "i meant",
                          "i mean", "not ", "it's ", "it is ", "i said", "scratch that", "hold on"})
    if (lower.starts_with(word)) return true;
  return false;
}

std::optional<SaidCorrection> in_english(View text) {
  const std::string lower = lowered(text);
  if (!begins_to_correct(lower)) return std::nullopt;
  const auto part = [&](std::size_t begin, std::size_t end) { return text.substr(begin, end - begin); };
  const auto not_at = lower.find(", not ");
  for (const View mark : {"i meant ", "i mean ", "it should be ", "that should be ", "should have been ", "make that ",
                          "it's ", "it is ", "that's "}) {
    const auto at = lower.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + mark.size();
    if (not_at != std::string::npos && not_at > begin) return correction(text.substr(not_at + 6), part(begin, not_at));
    const bool sure = mark.starts_with("i me") || mark.find("should") != View::npos || mark == "make that ";
    return sure ? correction({}, text.substr(begin)) : std::nullopt;
  }
  if (const auto but = lower.find(" but "); lower.starts_with("not ") && but != std::string::npos)
    return correction(part(4, but), text.substr(but + 5));
  return std::nullopt;
}

}  // namespace

std::optional<SaidCorrection> read_correction(std::string_view sentence) {
  constexpr std::size_t kLongest = 160;
  if (sentence.size() > kLongest) return std::nullopt;
  return language_of(sentence) == Language::kChinese ? in_chinese(sentence) : in_english(sentence);
}

}  // namespace weft
