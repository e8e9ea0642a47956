#include "flow/memory/said_parts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "flow/memory/profile_reader.h"
#include "flow/memory/statement_kinds.h"
#include "flow/memory/statement_readers.h"
#include "text/lexicon.h"
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

// 用户的妹妹…: what stands behind 的 must be somebody; 用户的真的… is no phrase.
bool is_of_somebody(const ProfileStatement& statement, const std::string& text) {
  constexpr std::string_view kOwn = "'s ";
  if (!statement.subject.starts_with(kOwn) || language_of(text) != Language::kChinese) return true;
  const std::string_view noun = std::string_view(statement.subject).substr(kOwn.size());
  if (is_person_chinese(noun)) return true;
  for (const auto& [file, list] : {std::pair{"zh/lasting", "kin"}, {"zh/animals", "animals"}, {"zh/profile", "kept"}})
    for (const std::string_view one : lexicon(file, list))
      if (noun.starts_with(one) || noun.ends_with(one)) return true;
  return false;
}

}  // namespace

bool add_facts(const std::string& text, std::string_view quote, const std::string& subject,
               std::vector<SaidFact>& facts) {
  const ProfileReader reader({EntityType::kUser, {subject}});
  const auto statements = reader.about_entity(text);
  const auto kept = std::find_if(statements.begin(), statements.end(), is_worth_keeping);
  if (kept == statements.end()) return false;
  if (!is_of_somebody(*kept, text)) return false;
  SaidFact fact{text, std::string(quote), kept->attribute, {}};
  std::string value;
  for (const std::string& one : kept->values) value += (value.empty() ? "" : "|") + one;
  fact.value = std::move(value);
  facts.push_back(std::move(fact));
  return true;
}

bool lacks_matter(const SaidFact& fact, bool open) {
  constexpr std::string_view kOf = "of ";
  static const LexiconWords measures = [] {
    LexiconWords keys;
    static std::vector<std::string> kept;
    for (const std::string_view noun : lexicon_both("profile", "measures")) kept.push_back(value_key(noun));
    for (const std::string& key : kept) keys.insert(key);
    for (const std::string_view noun : lexicon_both("profile", "measures")) keys.insert(noun);
    return keys;
  }();
  if (!fact.attribute.starts_with(kOf)) return false;
  if (!measures.contains(std::string_view(fact.attribute).substr(kOf.size()))) return false;
  // A bare number at the end, without unit or currency.
  const std::string_view text = trim_marks(fact.text);
  const auto digits = text.find_last_not_of("0123456789.,");
  const bool bare = digits != std::string_view::npos && digits + 1 < text.size();
  return open || (bare && text.find_first_of("$#%/", digits) == std::string_view::npos &&
                  !std::string_view(text).substr(0, digits + 1).ends_with("€") &&
                  !std::string_view(text).substr(0, digits + 1).ends_with("£") &&
                  !std::string_view(text).substr(0, digits + 1).ends_with("¥"));
}

SaidFact told_fact(std::string text, std::string_view quote) {
  std::string value = text;
  return {std::move(text), std::string(quote), std::string(kSaidAttribute), std::move(value)};
}

}  // namespace weft
