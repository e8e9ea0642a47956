#include "flow/memory/said_parts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/memory/profile_body.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/statement_readers.h"
#include "text/lexicon.h"
#include "text/sentences.h"
#include "text/time_expressions.h"
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

constexpr std::string_view kOf = "of ", kHabitGoes = "habit 去";

// Budgets, limits, deadlines, prices.
bool is_measure(std::string_view attribute) {
  static const LexiconWords measures = [] {
    LexiconWords keys;
    static std::vector<std::string> kept;
    for (const std::string_view noun : lexicon_both("profile", "measures")) kept.push_back(value_key(noun));
    for (const std::string& key : kept) keys.insert(key);
    for (const std::string_view noun : lexicon_both("profile", "measures")) keys.insert(noun);
    return keys;
  }();
  return attribute.starts_with(kOf) && measures.contains(attribute.substr(kOf.size()));
}

// "trip to rome" of "trip to".
bool is_passing(std::string_view attribute) {
  const auto passing = lexicon("en/profile", "passing");
  return std::any_of(passing.begin(), passing.end(), [&](std::string_view one) {
    return attribute.starts_with(one) && (attribute.size() == one.size() || attribute[one.size()] == ' ');
  });
}

bool names_any(std::string_view text, const char* list) {
  const auto words = lexicon_both("profile", list);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// What somebody has been, or has, since a day: "moved to Bern in May", "born on 3 May".
bool holds_since(std::string_view attribute) {
  static const LexiconWords since = lexicon_words("en/profile", "holds since");
  return since.contains(attribute.substr(0, attribute.find(' '))) || since.contains(attribute) ||
         names_any(attribute, "yearly");
}

// "The dentist is on 14 April", "has been cooking a lot lately"; not "on Mondays".
bool is_of_its_day(std::string_view line, std::string_view attribute) {
  if (holds_since(attribute)) return false;
  static const SpacedPhrases passing(lexicon("en/profile", "passing words"));
  if (passing.any_in(spaced_words(normalize(line), ".,;:!?\"()"))) return true;
  for (const std::string_view word : lexicon("zh/profile", "passing words"))
    if (line.find(word) != std::string_view::npos) return true;
  constexpr Time kSomeDay{1'772'700'000'000, 0};  // only whether there is a day is asked, not which
  const auto times = find_time_expressions(line, kSomeDay);
  return std::any_of(times.begin(), times.end(), [](const TimeExpression& one) {
    return one.kind == TimeKind::kDate || one.kind == TimeKind::kDateTime || one.kind == TimeKind::kRange;
  });
}

// "Likes the second idea": what the talk was about. "Likes the sea" cannot be told from it. "Hates everybody" is a
// mood.
bool likes_of_the_talk(const ProfileStatement& statement) {
  if (statement.attribute == "uses" || statement.attribute == "plays") return statement.value.starts_with("the ");
  if (statement.attribute != "likes") return false;
  static const SpacedPhrases nothing(lexicon("en/profile", "names nothing"));
  const auto chinese = lexicon("zh/profile", "names nothing");
  const bool vague = !nothing.begin_of(spaced_words(statement.value, ".,;:!?\"()")).empty() ||
                     std::find(chinese.begin(), chinese.end(), trim_marks(statement.value)) != chinese.end();
  return vague || (statement.polarity == Polarity::kYes && statement.value.starts_with("the "));
}

// "Drinks five cups a day": of what, was said before. 每周去三次.
bool names_no_thing(const ProfileStatement& statement) {
  if (statement.attribute.starts_with("habit 去")) return is_count(statement.attribute.substr(kHabitGoes.size(), 3));
  if (statement.attribute != "drinks" && statement.attribute != "eats" && statement.attribute != "uses") return false;
  static const SpacedPhrases bare(lexicon("en/profile", "bare measures"));
  const std::string row = spaced_words(statement.value, ".,;:!?\"()");
  const std::size_t second = row.find(' ', 1);
  if (second == std::string::npos || !(is_count(row.substr(1, second - 1)) || is_digit(row[1]))) return false;
  std::string_view rest = std::string_view(row).substr(second);
  for (std::string_view one = bare.begin_of(rest); !one.empty(); one = bare.begin_of(rest))
    rest.remove_prefix(one.size() + 1);
  return rest.size() <= 1;
}

// "Does not eat meat" lasts; "is not called Marie" only denies what was said.
bool only_denies(const ProfileStatement& statement) {
  static const LexiconWords lasting = lexicon_words("en/profile", "lasting denials");
  return statement.polarity == Polarity::kNo && !lasting.contains(statement.attribute);
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
  if (!is_measure(fact.attribute)) return false;
  // A bare number at the end, without unit or currency.
  const std::string_view text = trim_marks(fact.text);
  const auto digits = text.find_last_not_of("0123456789.,");
  const bool bare = digits != std::string_view::npos && digits + 1 < text.size();
  return open || (bare && text.find_first_of("$#%/", digits) == std::string_view::npos &&
                  !std::string_view(text).substr(0, digits + 1).ends_with("€") &&
                  !std::string_view(text).substr(0, digits + 1).ends_with("£") &&
                  !std::string_view(text).substr(0, digits + 1).ends_with("¥"));
}

bool lasts_in_profile(std::string_view line, std::string_view attribute, std::span<const ProfileStatement> read) {
  if (attribute == kAnyAttribute || is_passing(attribute) || is_measure(attribute)) return false;
  // Of several sentences the grammar would read each alone.
  if (sentences(line).size() != 1) return false;
  const auto told = std::find_if(read.begin(), read.end(),
                                 [&](const ProfileStatement& statement) { return statement.attribute == attribute; });
  if (told == read.end()) return false;
  if (attribute.starts_with("wish:")) return true;
  if (only_denies(*told) || likes_of_the_talk(*told) || names_no_thing(*told) || is_of_its_day(line, attribute))
    return false;
  const bool paid = attribute == "salary" || attribute == "rent";
  return paid || !names_any(line, "money");
}

SaidFact told_fact(std::string text, std::string_view quote) {
  std::string value = text;
  return {std::move(text), std::string(quote), std::string(kSaidAttribute), std::move(value)};
}

}  // namespace weft
