#include "text/quantity_parts.h"

#include <charconv>
#include <cmath>
#include <unordered_set>

namespace weft {

std::optional<double> quantity_number(const PlainWord& word) {
  if (word.kind != WordKind::kNumber) return std::nullopt;
  constexpr double kMost = 1e15;
  double number = 0;
  const char* end = word.text.data() + word.text.size();
  const auto read = std::from_chars(word.text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != end || !(std::abs(number) <= kMost)) return std::nullopt;
  return number;
}

std::string join_words(ClauseWords words) {
  std::string text;
  const PlainWord* last = nullptr;
  for (const PlainWord& word : words) {
    const bool glued = word.text == "'s" || word.kind == WordKind::kHan || (last && last->kind == WordKind::kHan);
    if (last != nullptr && !glued) text += ' ';
    text += word.text;
    last = &word;
  }
  return text;
}

bool is_uncountable_noun(std::string_view noun) {
  static const std::unordered_set<std::string_view> set = {
      // time
      "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "night", "nights", "week", "weeks",
      "month", "months", "year", "years", "moment", "moments", "time", "times", "turns", "rounds", "sec", "min", "mins",
      // talk and thought
      "reason", "reasons", "example", "examples", "idea", "ideas", "option", "options", "suggestion", "suggestions",
      "name", "names", "word", "words", "sentence", "sentences", "paragraph", "paragraphs", "line", "lines", "page",
      "pages", "chapter", "chapters", "scene", "scenes", "question", "questions", "hint", "hints", "tip", "tips",
      "step", "steps", "way", "ways", "chance", "chances", "try", "tries", "guess", "guesses", "list", "lists", "clue",
      "clues", "detail", "details", "fact", "facts", "story", "stories", "joke", "jokes", "poem", "poems", "version",
      "versions", "alternative", "alternatives", "choice", "choices", "answer", "answers", "thing", "things", "people",
      "person", "men", "women", "character", "characters", "title", "titles", "quote", "quotes", "rule", "rules", "lie",
      "lies", "promise", "promises", "wish", "wishes", "secret", "secrets", "recipe", "recipes", "summary", "summaries",
      "description", "descriptions", "plan", "plans", "thought", "thoughts", "cheers", "kisses", "hugs", "looks",
      "place", "places", "mile", "miles", "feet", "meters", "times", "alarm", "timer", "clock",
      // Chinese
      "钟", "分钟", "天", "年", "月", "日", "周", "星期", "小时", "钟头", "时间", "秒", "秒钟", "夜", "晚", "理由",
      "原因", "例子", "建议", "选项", "选择", "名字", "字", "话", "句", "句子", "段", "段落", "章", "场景", "问题",
      "提示", "线索", "步", "步骤", "办法", "方法", "方案", "机会", "想法", "点子", "故事", "笑话", "诗", "答案",
      "版本", "细节", "人", "男人", "女人", "角色", "标题", "承诺", "愿望", "秘密", "谎", "计划", "菜谱", "次", "遍",
      "回", "公里", "里路", "步路", "闹钟", "题", "错", "词", "单词", "要点", "重点", "页", "行"};
  return set.contains(noun);
}

}  // namespace weft
