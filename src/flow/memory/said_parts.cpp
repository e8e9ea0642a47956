#include "flow/memory/said_parts.h"

#include <algorithm>
#include <set>

#include "flow/memory/profile_reader.h"
#include "text/words.h"

namespace weft {
namespace {

// Things of the conversation, of which much is said that is no fact of anybody's life.
bool is_of_the_talk(const std::string& attribute) {
  static const std::set<std::string> talk = [] {
    std::set<std::string> all;
    for (const char* noun :
         {"question", "problem",       "issue",   "point", "idea",       "answer",  "request", "task",
          "code",     "function",      "error",   "bug",   "script",     "file",    "input",   "output",
          "example",  "text",          "message", "essay", "story",      "poem",    "thing",   "concern",
          "guess",    "understanding", "opinion", "view",  "impression", "mistake", "bad",     "apologies",
          "prompt",   "query",         "program", "data",  "list",       "table",   "result",  "问题",
          "想法",     "意思",          "看法",    "观点",  "错误",       "代码",    "文件",    "例子",
          "文章",     "建议",          "疑问",    "需求",  "输入",       "输出",    "理解",    "感觉"})
      for (const std::string& key : {value_key(noun), std::string(noun)}) all.insert("of " + key);
    return all;
  }();
  return talk.contains(attribute);
}

// "I like it", "I'm a bit tired": no fact, though the grammar of profiles would take it from one who reports.
bool is_worth_keeping(const ProfileStatement& statement) {
  static const std::set<std::string> vague{"it",         "this",   "that", "them",  "to",        "how",      "what",
                                           "when",       "so",     "much", "more",  "something", "anything", "nothing",
                                           "everything", "things", "one",  "some",  "very",      "too",      "really",
                                           "these",      "those",  "here", "there", "about",     "of"};
  if (statement.attribute == "is" || is_of_the_talk(statement.attribute)) return false;
  const std::string first = statement.value.substr(0, statement.value.find(' '));
  if (is_preference(statement.attribute) &&
      (first == "em" || first == "learning" || (" " + statement.value + " ").find(" it ") != std::string::npos))
    return false;
  for (const std::string_view word : {"这", "那", "你", "您", "它", "什么", "怎么", "自己"})
    if (statement.value.starts_with(word)) return false;
  return !vague.contains(first) || statement.attribute.starts_with("of ");
}

}  // namespace

bool add_facts(const std::string& text, std::string_view quote, const std::string& subject,
               std::vector<SaidFact>& facts) {
  const ProfileReader reader({EntityType::kUser, {subject}});
  const auto statements = reader.about_entity(text);
  const auto kept = std::find_if(statements.begin(), statements.end(), is_worth_keeping);
  if (kept == statements.end()) return false;
  std::string value;
  for (const std::string& one : kept->values) value += (value.empty() ? "" : "|") + one;
  facts.push_back({text, std::string(quote), kept->attribute, value});
  return true;
}

SaidFact told_fact(std::string text, std::string_view quote) {
  std::string value = text;
  return {std::move(text), std::string(quote), std::string(kSaidAttribute), std::move(value)};
}

}  // namespace weft
