#include "flow/memory/said_facts.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/memory/fact_meaning.h"
#include "flow/memory/profile_merge.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/standing_wish.h"
#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/sentences.h"
#include "text/small_talk.h"
#include "text/time_expressions.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongestSentence = 400;
constexpr std::size_t kMostFacts = 12;

bool asks(std::string_view sentence) {
  const std::string_view end = trim_words(sentence, " \t\r\n\"'”’");
  return end.ends_with('?') || end.ends_with("？") || end.ends_with("吗") || end.ends_with("吗。");
}

// "I live in Porto, can you name a café?": what is told before the question proper; empty where it is all one question.
std::string_view before_question(std::string_view sentence, bool chinese) {
  if (chinese) {
    const auto comma = std::max(sentence.rfind("，") + 1, sentence.rfind(", ") + 1);
    return comma == 0 ? std::string_view() : sentence.substr(0, comma - 1);
  }
  static constexpr std::array<std::string_view, 22> kStarts{
      "can you",   "could you",     "do you",   "does ",    "did you",         "is there",
      "are there", "what",          "how",      "where",    "which",           "any ",
      "would you", "should i",      "have you", "will you", "i was wondering", "i'm wondering",
      "i wonder",  "was wondering", "are you",  "who "};
  const std::string plain = lowered(sentence);
  for (std::size_t at = 0; at < plain.size(); ++at) {
    for (const std::string_view mark : {", and ", " , ", ", ", " and ", ", so "}) {
      if (plain.compare(at, mark.size(), mark) != 0) continue;
      const std::string_view behind = std::string_view(plain).substr(at + mark.size());
      if (std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view one) { return behind.starts_with(one); }))
        return sentence.substr(0, at);
    }
  }
  return {};
}

// A request beside it: what says no time for itself may be about that.
bool asks_for_something(const std::vector<std::string_view>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    if (asks(part)) return true;
    return find_cues(part).has(Cue::kRequest) && standing_wishes(part, true).empty();
  });
}

// What is taken for granted is told unless a statement beside it says more of the same.
void add_belongings(std::string_view part, const std::string& subject, std::vector<SaidFact>& facts) {
  for (SaidFact& one : english_belongings(part, subject)) {
    const std::string thing = one.text.substr(one.text.rfind(' ') + 1, one.text.size() - one.text.rfind(' ') - 2);
    // "My wife Hania is pregnant" does not tell by itself what she is called.
    const bool named = one.text.find(" called ") != std::string::npos;
    const bool told = std::any_of(facts.begin(), facts.end(), [&](const SaidFact& fact) {
      return fact.text.find(thing) != std::string::npos && !(named && fact.attribute == kSaidAttribute);
    });
    if (!told) facts.push_back(std::move(one));
  }
}

// "Ann won the race", said by Ann: what she would say of herself. Empty where she does not tell of herself by name.
std::string in_first_person(std::string_view sentence, const std::string& name) {
  if (name.empty() || !sentence.starts_with(name) || sentence.size() < name.size() + 2) return {};
  const std::string_view rest = sentence.substr(name.size());
  for (const std::string_view own : {"'s ", "’s "})
    if (rest.starts_with(own)) return "My " + std::string(rest.substr(own.size()));
  if (rest.front() != ' ') return {};
  const auto end = std::min(rest.find_first_of(" ,.;!", 1), rest.size());
  const std::string verb(rest.substr(1, end - 1));
  if (verb == "is" || verb == "has") return (verb == "is" ? "I am" : "I have") + std::string(rest.substr(end));
  if (is_past_form(verb) || is_modal(verb)) return "I" + std::string(rest);
  for (const std::size_t ending : {std::size_t{1}, std::size_t{2}}) {
    if (verb.size() <= ending + 1 || verb.back() != 's') continue;
    const std::string base = verb.substr(0, verb.size() - ending);
    if (is_base_verb(base) && third_person(base) == verb) return "I " + base + std::string(rest.substr(end));
  }
  return {};
}

// "My name isn't Jon, it's John": "My name is John"; "my car is no longer a Fiat, it's a Volvo". Of a name that is only
// denied nothing is left to tell.
std::optional<std::string> as_corrected(std::string_view sentence) {
  const std::string lower = lowered(sentence);
  if (lower.size() != sentence.size() || !lower.starts_with("my ")) return std::nullopt;
  const bool name = lower.starts_with("my name");
  std::size_t noun = 0, behind = 0;
  for (const std::string_view no : {" is no longer ", " isn't ", " isn’t ", " is not ", "'s not ", "’s not "}) {
    const auto at = lower.find(no);
    if (at == std::string::npos || (noun > 0 && at > noun)) continue;
    noun = at;
    behind = at + no.size();
  }
  constexpr std::size_t kLongestNoun = 40;
  if (behind == 0 || noun > kLongestNoun) return std::nullopt;
  const auto told = [&](std::size_t from) {
    return std::string(sentence.substr(0, noun)) + " is " + std::string(sentence.substr(from));
  };
  for (const std::string_view mark : {", it's now ", ", it is now ", ", it's ", ", it’s ", ", it is ", "; it's ",
                                      "; it is ", " anymore but ", " any more but "})
    if (const auto at = lower.find(mark, behind); at != std::string::npos) return told(at + mark.size());
  if (!name) return std::nullopt;
  for (const std::string_view mark : {", but ", " but ", ", my name is ", " it's ", " it is "})
    if (const auto at = lower.find(mark, behind); at != std::string::npos) return told(at + mark.size());
  return std::string();
}

// 我最喜欢的颜色不再是红色，是蓝色: 我最喜欢的颜色是蓝色.
std::optional<std::string> as_corrected_chinese(std::string_view sentence) {
  if (!sentence.starts_with("我")) return std::nullopt;
  for (const std::string_view no : {"不再是", "已经不是", "不是"}) {
    const auto at = sentence.find(no);
    if (at == std::string_view::npos) continue;
    for (const std::string_view mark : {"，而是", "，现在是", "，是", ",是", "而是"}) {
      const auto is = sentence.find(mark, at + no.size());
      if (is == std::string_view::npos) continue;
      return std::string(sentence.substr(0, at)) + "是" + std::string(sentence.substr(is + mark.size()));
    }
  }
  return std::nullopt;
}

std::vector<SaidFact> facts_of(std::string_view sentence, const std::string& subject, bool chinese) {
  if (chinese) {
    const auto corrected = as_corrected_chinese(sentence);
    auto facts = chinese_facts(corrected ? std::string_view(*corrected) : sentence, subject);
    for (SaidFact& fact : facts)
      if (corrected) fact.quote = std::string(sentence);
    return facts;
  }
  const auto corrected = as_corrected(sentence);
  if (corrected && corrected->empty()) return {};
  const std::string own = corrected ? *corrected : in_first_person(sentence, subject);
  if (own.empty()) return english_facts(sentence, subject);
  auto facts = english_facts(own, subject);
  for (SaidFact& fact : facts) fact.quote = std::string(sentence);
  return facts;
}

}  // namespace

std::vector<std::string_view> stating_sentences(std::string_view message) {
  std::vector<std::string_view> stating;
  for (const StatedSentence& one : stated_sentences(message))
    if (!one.quotes) stating.push_back(one.text);
  return stating;
}

std::string_view name_of_speaker(std::string_view text) {
  return language_of(text) == Language::kChinese ? "用户" : "The user";
}

std::string_view told_part(std::string_view sentence) {
  if (!asks(sentence)) return sentence;
  return before_question(sentence, language_of(sentence) == Language::kChinese);
}

SaidThings read_said(std::string_view message, const std::string& subject) {
  SaidThings said;
  const auto stated = stated_sentences(message);
  if (stated.empty()) return said;
  const bool alone = !asks_for_something(sentences(message));
  for (const auto& [part, quotes] : stated) {
    if (part.size() > kLongestSentence) continue;
    const bool chinese = language_of(part) == Language::kChinese;
    // "Could you stick to metric from now on?" asks for no answer.
    const auto wishes = !asks(part)             ? standing_wishes(part, alone)
                        : is_general_wish(part) ? std::vector<std::string>{std::string(part)}
                                                : std::vector<std::string>();
    for (const std::string& wish : wishes) {
      const std::string who(!subject.empty() ? std::string_view(subject) : name_of_speaker(part));
      said.facts.push_back(wish_fact(who, wish));
    }
    if (quotes) continue;
    const std::string_view told = told_part(part);
    if (!told.empty()) {
      auto facts = facts_of(told, subject, chinese);
      said.facts.insert(said.facts.end(), facts.begin(), facts.end());
      if (!said.correction && facts.empty()) said.correction = read_correction(part);
    }
    if (!chinese) add_belongings(part, subject, said.facts);
    if (said.facts.size() >= kMostFacts) break;
  }
  std::erase_if(said.facts, [&](const SaidFact& fact) {
    const std::string_view who = !subject.empty() ? std::string_view(subject) : name_of_speaker(fact.text);
    if (fact.attribute.starts_with("wish:")) return !is_whole_wish(fact.quote);
    return !may_be_kept(fact, who) || !is_whole_statement(fact.text, who);
  });
  return said;
}

std::string in_third_person(std::string_view sentence, const std::string& subject) {
  return language_of(sentence) == Language::kChinese ? chinese_in_third_person(sentence, subject)
                                                     : english_in_third_person(sentence, subject);
}

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

namespace {

using View = std::string_view;

View list_entry_at(View text, View list) { return longest_entry(lexicon("zh/requests", list), text); }

bool has_entry(View text, View list) {
  const auto entries = lexicon("zh/requests", list);
  return std::any_of(entries.begin(), entries.end(), [&](View one) { return text.find(one) != View::npos; });
}

// Without as many entries of the list as begin it.
View without(View text, View list) {
  for (View one = list_entry_at(text, list); !one.empty(); one = list_entry_at(text, list))
    text = trim_words(text.substr(one.size()), " \t，,");
  return text;
}

bool begins_with_person(View text) {
  for (const char* kin : {"women", "men", "of either"})
    for (const View one : lexicon("zh/people", kin))
      if (text.starts_with(one)) return true;
  return false;
}

// 为客户陈女士…, 我妈…: of somebody, by whatever word.
bool names_anybody(View clause) {
  constexpr std::size_t kTwoCharacters = 6;
  for (const char* list : {"women", "men", "of either", "titles of women", "titles of men"})
    for (const View one : lexicon("zh/people", list))
      if (one.size() >= kTwoCharacters && clause.find(one) != View::npos) return true;
  return false;
}

// 帮我写…, 麻烦把…; 帮我妈带孩子 is done for somebody else.
bool is_order(View clause) {
  if (clause.find("了") != View::npos) return false;
  clause = without(clause, "openings");
  const View told = list_entry_at(clause, "tells to");
  return !told.empty() && !begins_with_person(clause.substr(told.size()));
}

// 我想知道…, 我还需要一个…, 我在找一部…, 让它…长.
bool is_wanted_of_hearer(View clause) {
  View rest = without(clause, "openings");
  for (const View who : {"我们", "咱们", "我"})
    if (rest.starts_with(who)) {
      rest.remove_prefix(who.size());
      break;
    }
  rest = without(rest, "adverbs");
  const View want = list_entry_at(rest, "wants");
  if (want.empty()) return false;
  rest.remove_prefix(want.size());
  if (!list_entry_at(rest, "services").empty() || !list_entry_at(rest, "things at hand").empty()) return true;
  // 找一份工作, 找个室友: looked for in a life, not here.
  if (has_entry(rest, "matters of a life")) return false;
  if (const View deed = list_entry_at(rest, "deeds"); !deed.empty()) rest.remove_prefix(deed.size());
  return !list_entry_at(rest, "any one").empty();
}

bool is_question(View clause) {
  return has_entry(clause, "questions") || clause.ends_with("？") || clause.ends_with('?');
}

}  // namespace

std::vector<View> chinese_clauses(View sentence) {
  std::vector<View> clauses;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= sentence.size(); ++at) {
    const View rest = sentence.substr(at);
    View mark;
    for (const View one : {"，", ",", "；", ";", "。", "！", "!", "：", ":", "——"})
      if (rest.starts_with(one)) mark = one;
    if (mark.empty() && at < sentence.size()) continue;
    const View clause = trim_words(sentence.substr(begin, at - begin), " \t\r\n");
    if (!clause.empty()) clauses.push_back(clause);
    at += mark.empty() ? 0 : mark.size() - 1;
    begin = at + 1;
  }
  return clauses;
}

bool says_need(View sentence) {
  const auto needs = lexicon("zh/telling", "needs");
  return std::any_of(needs.begin(), needs.end(), [&](View one) { return sentence.find(one) != View::npos; });
}

bool asks_hearer(View clause) { return is_order(clause) || is_wanted_of_hearer(clause); }

bool is_request(View sentence) {
  bool asked = false;
  for (const View clause : chinese_clauses(sentence)) {
    if (is_order(clause)) {
      asked = true;
      continue;
    }
    if (is_wanted_of_hearer(clause)) {
      // 我想给我妈找一家…: of people as well.
      if (names_people(clause)) return false;
      asked = true;
      continue;
    }
    if (is_question(clause)) {
      if (names_anybody(clause)) return false;
      continue;
    }
    if (says_nothing(clause) || without(clause, "openings").empty()) continue;
    if (!asked || speaks_of_people(clause)) return false;
  }
  return asked;
}

}  // namespace weft
