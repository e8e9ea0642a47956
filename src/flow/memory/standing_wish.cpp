#include "flow/memory/standing_wish.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/said_facts.h"
#include "text/english_verbs.h"
#include "text/han_text.h"
#include "text/lexicon.h"
#include "text/small_talk.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kLongestWish = 300;  // bytes
constexpr std::string_view kAsks = " asks: ", kAsksChinese = "要求：";

bool is_chinese(std::string_view text) { return language_of(text) == Language::kChinese; }

// Whose lines carry a wish.
std::string_view subject_before(std::string_view line, std::string_view mark) {
  constexpr std::size_t kLongestSubject = 80;
  const auto at = line.find(mark);
  if (at == std::string_view::npos || at == 0 || at > kLongestSubject) return {};
  return trim_words(line.substr(0, at));
}

bool has_number(std::string_view words) {
  for (std::size_t at = 1; at < words.size(); ++at)
    if (words[at - 1] == ' ' && words[at] >= '0' && words[at] <= '9' &&
        words.find("-hour", at) == std::string_view::npos)
      return true;
  return false;
}

// "Always keep receipts, says my accountant."
bool is_reported(std::string_view sentence) {
  for (const std::string_view word :
       {", says ", ", said ", " says:", " said:", " told me to ", "说：", "，他说", "，她说"})
    if (sentence.find(word) != std::string_view::npos) return true;
  // "…, my dad always said": not what the speaker or the one who answers says.
  const std::string row = spaced_words(normalize(sentence), ".,;:!?\"()");
  static const LexiconWords between = {"always", "often", "once", "just", "already"};
  for (const std::string_view verb : {" says ", " said "}) {
    const auto at = row.find(verb);
    if (at == std::string::npos) continue;
    std::string_view before = std::string_view(row).substr(0, at);
    std::string_view who = before.substr(before.rfind(' ') + 1);
    while (between.contains(who) && before.size() > who.size() + 1) {
      before.remove_suffix(who.size() + 1);
      who = before.substr(before.rfind(' ') + 1);
    }
    // "…, Margaret always said I was a stickler" reports what stands behind it.
    const bool behind = sentence.find(',') != std::string_view::npos && at + verb.size() < row.size();
    if (at > 0 && who != "i" && who != "you" && who != "we" && !behind && sentence.find('"') == std::string_view::npos)
      return true;
  }
  return false;
}

bool is_standing_english(const WishWords& words, const std::string& aspect, bool alone) {
  if (words.empty() || words.has(WishSign::kOnce)) return false;
  const bool asks = words.begins(WishSign::kAsks), likes = words.begins(WishSign::kLikes);
  if (!asks && !likes) return false;
  const bool answers = words.has(WishSign::kAnswers);
  // "I prefer metric units, always" tells how much it is preferred.
  const bool measure = aspect == "units" || aspect == "time format";
  if (likes) return answers || (measure && !words.text().ends_with(" always "));
  if (words.has(WishSign::kAlways)) return !words.has(WishSign::kPiece);
  // "Convert 5 miles to kilometres" is about these miles.
  if (words.has(WishSign::kPiece) || has_number(words.text())) return false;
  if (!alone || words.has(WishSign::kPointing)) return false;
  if (is_standing_by_nature(aspect)) return true;
  if (words.begins(WishSign::kForbids) && words.has(WishSign::kBringsUp)) return true;
  if (names_matter(words.text())) return false;
  if (aspect == "language" && words.begins(WishSign::kSpeaks)) return true;
  return answers && !aspect.starts_with("of ");
}

// 每次四公里: so many of them; 都用公里 asks for the unit.
bool only_counts(std::string_view text, const std::string& aspect) {
  if (aspect != "units" && aspect != "currency" && aspect != "time format") return false;
  return !holds_any(fold_han(text), lexicon("zh/standing_wishes", "uses a measure"));
}

bool is_standing_chinese(std::string_view text, const std::string& aspect, bool alone) {
  const ChineseWish wish = read_chinese_wish(text);
  if (wish.once || !wish.asks) return false;
  if (tells_habit(text) || only_counts(text, aspect)) return false;
  if (wish.always) return wish.speaks || !aspect.starts_with("of ");
  if (!alone || wish.pointing) return false;
  if (is_standing_by_nature(aspect)) return true;
  return wish.speaks && !aspect.starts_with("of ") && !names_matter(text);
}

// A clause of a sentence and what is known of it.
struct WishClause {
  std::string_view text;
  bool wished = false;
  bool asks = false;   // an instruction that by itself is no standing wish
  bool here = false;   // … about what is at hand
  bool alone = false;  // holds on by its own words, whatever stands beside it
};

bool stands_alone(std::string_view clause, bool chinese) {
  if (chinese) return holds_any(fold_han(clause), lexicon("zh/standing_wishes", "stands alone"));
  static const SpacedPhrases phrases(lexicon("en/standing_wishes", "stands alone"));
  return phrases.any_in(spaced_words(normalize(clause), ".,;:!?\"()"));
}

// "Run make migrate", 运行测试: an instruction, not a statement.
bool is_instruction(std::string_view clause, bool chinese) {
  if (says_nothing(clause)) return false;
  if (!chinese) {
    const WishWords words(clause);
    if (words.empty() || words.has(WishSign::kOnce)) return false;
    const std::string_view text = words.text();
    return words.begins(WishSign::kAsks) || is_base_verb(text.substr(1, text.find(' ', 1) - 1));
  }
  constexpr std::size_t kLongestInstruction = 60;
  if (clause.size() > kLongestInstruction || asks_hearer(clause)) return false;
  return !holds_any(clause, lexicon("zh/standing_wishes", "no instruction"));
}

// Coordinated instructions are one wish: half of "Run make migrate, never call prisma" would mean something else.
std::vector<std::string> joined_wishes(const std::vector<WishClause>& clauses) {
  std::vector<std::string> wishes;
  for (std::size_t i = 0; i < clauses.size();) {
    std::size_t end = i;
    bool wished = false;
    // A run of instructions of which some are wishes by themselves and others are not.
    for (; end < clauses.size() && (clauses[end].wished || clauses[end].asks); ++end)
      wished = wished || clauses[end].wished;
    if (end == i) {
      ++i;
      continue;
    }
    const auto last = clauses.begin() + static_cast<std::ptrdiff_t>(end);
    auto begin = clauses.begin() + static_cast<std::ptrdiff_t>(i);
    // "Fix the bug, and from now on use tabs": what is asked before is asked once.
    if (const auto first = std::find_if(begin, last, [](const WishClause& one) { return one.wished; });
        first != last && first->alone)
      begin = first;
    const bool mixed = std::any_of(begin, last, [](const WishClause& one) { return !one.wished; });
    const bool here = std::any_of(begin, last, [](const WishClause& one) { return one.here; });
    // "Use bullet points, never tables": two wishes of one matter, of which the second would end the first.
    const bool one_matter = last - begin > 1 && wish_attribute(begin->text) == wish_attribute((last - 1)->text);
    if (wished && (mixed || one_matter)) {
      i = end;
      if (here) continue;
      const char* first = begin->text.data();
      const char* behind = (last - 1)->text.data() + (last - 1)->text.size();
      wishes.emplace_back(trim_marks({first, static_cast<std::size_t>(behind - first)}));
    } else {
      for (auto one = begin; one != last; ++one)
        if (one->wished) wishes.emplace_back(trim_marks(one->text));
    }
    i = end;
  }
  return wishes;
}

}  // namespace

// "They love me and always cheer me on": the clause after "and" has the subject of the clause before it.
bool goes_on_with_others(std::string_view before) {
  static const LexiconWords others = {"they", "he", "she", "it"};
  const std::string row = spaced_words(normalize(before), ".,;:!?\"()");
  if (!row.ends_with(" and ")) return false;
  const std::string_view words = std::string_view(row).substr(1);
  return others.contains(words.substr(0, words.find(' '))) || words.starts_with("you never ") ||
         words.starts_with("you always ");
}

std::vector<std::string> clause_wishes(std::string_view sentence, bool alone) {
  std::vector<WishClause> clauses;
  sentence = trim_words(sentence, " \t\r\n");
  if (sentence.size() > kLongestWish || sentence.empty()) return {};
  const bool chinese = is_chinese(sentence);
  if (is_reported(sentence)) return {};
  bool always = false;  // "From now on answer briefly and use metric" holds for both
  bool piece = false;  // "Write me a poem, always rhyming": what follows is about the poem
  const char* condition = nullptr;  // "Whenever you write code, use Python": where what belongs to the wish begins
  for (const std::string_view clause : wish_clauses(sentence, chinese)) {
    const std::string aspect = wish_aspect(clause);
    WishClause& made = clauses.emplace_back(WishClause{clause, false, false, false, stands_alone(clause, chinese)});
    if (chinese) {
      const ChineseWish read = read_chinese_wish(clause);
      const bool asks = read.asks || is_instruction(clause, true);
      const bool goes_on = always && asks && !read.once && !aspect.starts_with("of ");
      made.wished = goes_on || is_standing_chinese(clause, aspect, alone);
      made.asks = !made.wished && !read.once && is_instruction(clause, true);
      made.here = made.asks && read.pointing;
      always = always || (made.wished && read.always);
    } else {
      const WishWords words(clause);
      piece = piece || words.has(WishSign::kPiece);
      if (piece) continue;
      const bool goes_on = always && words.begins(WishSign::kAsks) && !words.has(WishSign::kOnce);
      // "Use bullet points, never tables": there the verb of the clause before goes on.
      const WishClause* before = clauses.size() > 1 ? &clauses[clauses.size() - 2] : nullptr;
      const bool follows = before != nullptr && (before->wished || before->asks);
      if (!follows && is_exclamation(words.text())) continue;
      if (goes_on_with_others(sentence.substr(0, static_cast<std::size_t>(clause.data() - sentence.data())))) continue;
      if (!goes_on && !is_standing_english(words, aspect, alone)) {
        if (words.begins(WishSign::kWhen)) condition = clause.data(), always = true;
        made.asks = condition == nullptr && is_instruction(clause, false);
        made.here = made.asks && words.has(WishSign::kPointing);
        continue;
      }
      made.wished = true;
      always = always || words.has(WishSign::kAlways);
      if (const char* begin = std::exchange(condition, nullptr))
        made.text = {begin, static_cast<std::size_t>(clause.data() + clause.size() - begin)};
    }
  }
  return joined_wishes(clauses);
}

namespace {

std::vector<std::string_view> parts_of(std::string_view sentence, bool chinese) {
  constexpr std::array<std::string_view, 3> kEnglish{", ", "; ", ": "};
  constexpr std::array<std::string_view, 6> kChinese{"，", ",", "；", ";", "：", ":"};
  const std::span<const std::string_view> marks = chinese ? std::span<const std::string_view>(kChinese) : kEnglish;
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    for (const std::string_view mark : marks) {
      if (!sentence.substr(at).starts_with(mark)) continue;
      parts.push_back(sentence.substr(begin, at - begin));
      begin = at + mark.size();
      break;
    }
  }
  parts.push_back(sentence.substr(begin));
  return parts;
}

bool is_opener(std::string_view part, bool chinese) {
  if (says_nothing(part)) return true;
  if (chinese) {
    const auto openers = lexicon("zh/standing_wishes", "openers");
    return std::find(openers.begin(), openers.end(), fold_han(trim_words(part))) != openers.end();
  }
  static const SpacedPhrases openers(lexicon("en/standing_wishes", "openers"));
  const std::string row = spaced_words(normalize(part), ".,;:!?\"()");
  std::string_view rest = row;
  for (std::string_view one = openers.begin_of(rest); !one.empty(); one = openers.begin_of(rest))
    rest.remove_prefix(one.size() + 1);
  return rest.size() <= 1;
}

// A part behind a wish that tells something and asks for nothing: "you did miles before", 解释我不看的.
bool only_tells(std::string_view part, bool chinese) {
  if (trim_words(part).empty()) return true;
  if (chinese) {
    const ChineseWish read = read_chinese_wish(part);
    if (read.asks || read.always || read.speaks || !wish_aspect(part).starts_with("of ")) return false;
    const std::string text = fold_han(trim_words(part));
    const auto belongs = lexicon("zh/standing_wishes", "belongs to a wish");
    return std::none_of(belongs.begin(), belongs.end(), [&](std::string_view one) { return text.starts_with(one); });
  }
  static const SpacedPhrases tells(lexicon("en/standing_wishes", "tells"));
  const WishWords words(part);
  const std::string row = spaced_words(normalize(part), ".,;:!?\"()");
  // "Margaret always said …"
  std::string_view rest = std::string_view(row).substr(std::min(row.size(), row.find(' ', 1)));
  for (const std::string_view adverb : {" always ", " never ", " once ", " just ", " already "})
    if (rest.starts_with(adverb)) rest.remove_prefix(adverb.size() - 1);
  const std::string_view verb = trim_words(rest.substr(0, rest.find(' ', 1)));
  if (is_upper(trim_words(part).front()) && (is_past_form(verb) || verb == "is" || verb == "says")) return true;
  return !tells.begin_of(row).empty() && !words.begins(WishSign::kLikes) && !words.begins(WishSign::kAsks) &&
         !words.has(WishSign::kAlways);
}

// The wish alone, without what leads to it and what is told behind it, as long as that does not change what it is
// about.
std::string wish_proper(std::string wish) {
  const bool chinese = is_chinese(wish);
  auto parts = parts_of(wish, chinese);
  std::size_t first = 0, last = parts.size();
  // "I work at night, so please …": the grammar of facts reads the reason, the wish leaves it out.
  const auto is_reason = [&](std::size_t part) {
    const std::string next = lowered(trim_words(parts[part + 1]));
    return only_tells(parts[part], chinese) &&
           (chinese ? next.starts_with("所以") || next.starts_with("因此") : next.starts_with("so "));
  };
  while (last - first > 1 && (is_opener(parts[first], chinese) || is_reason(first))) ++first;
  while (last - first > 1 && only_tells(parts[last - 1], chinese)) --last;
  // "And please …", 另外请…
  for (const std::string_view lead : {"and ", "so ", "but ", "also ", "then ", "另外", "所以", "而且", "然后"}) {
    const bool english = static_cast<unsigned char>(lead.front()) < 0x80;
    if (english == chinese || lowered(parts[first].substr(0, lead.size())) != lead) continue;
    parts[first] = trim_words(parts[first].substr(lead.size()));
  }
  if (parts[first].data() == wish.data() && last == parts.size()) return wish;
  const char* begin = parts[first].data();
  std::string proper(
      trim_marks({begin, static_cast<std::size_t>(parts[last - 1].data() + parts[last - 1].size() - begin)}));
  const std::string before = wish_aspect(wish), after = wish_aspect(proper);
  const bool same = before == after || (before.starts_with("of ") && after.starts_with("of "));
  return same && !proper.empty() ? proper : wish;
}

}  // namespace

std::vector<std::string> standing_wishes(std::string_view sentence, bool alone) {
  std::vector<std::string> wishes = clause_wishes(sentence, alone);
  sentence = trim_words(sentence, " \t\r\n");
  if (wishes.empty() && sentence.size() <= kLongestWish && !is_reported(sentence) && is_general_wish(sentence))
    wishes.emplace_back(trim_marks(sentence));
  return wishes;
}

SaidFact wish_fact(std::string_view subject, std::string wish) {
  wish = wish_proper(std::move(wish));
  return {wish_line(subject, wish), wish, wish_attribute(wish), wish};
}

std::string wish_line(std::string_view subject, std::string_view wish) {
  const std::string_view mark = is_chinese(wish) ? kAsksChinese : kAsks;
  return std::string(subject) + std::string(mark) + std::string(wish);
}

std::optional<ProfileStatement> read_wish_line(std::string_view line) {
  for (const std::string_view mark : {kAsks, kAsksChinese}) {
    const std::string_view subject = subject_before(line, mark);
    if (subject.empty()) continue;
    const std::string_view wish = trim_words(line.substr(line.find(mark) + mark.size()));
    const std::string name = normalize(subject);
    return make_statement(name, {wish_attribute(wish), true, Polarity::kYes}, normalize(wish));
  }
  return std::nullopt;
}

namespace {

using View = std::string_view;

SpacedPhrases english_list(View list) { return SpacedPhrases(lexicon("en/wishes", list)); }

struct EnglishSigns {
  SpacedPhrases lasting = english_list("lasting"), with_me = english_list("with me"),
                instructs = english_list("instructs"), likes = english_list("likes"), speaks = english_list("speaks"),
                other = english_list("other"), question = english_list("question"), answers = english_list("answers"),
                said_to_me = english_list("said to me");
};
const EnglishSigns& english_signs() {
  static const EnglishSigns signs;
  return signs;
}

// Whether a phrase of a Chinese list stands in a sentence.
bool says(View sentence, View list) { return holds_any(sentence, lexicon("zh/wishes", list)); }

// Marks beyond ASCII as their kin in it.
std::string straight(std::string text) {
  for (const auto& [mark, by] : {std::pair<View, View>{"’", "'"}, {"–", ","}, {"—", ","}})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, mark.size(), by);
  return text;
}

// A clause as a row of words, without what politeness and time put before it.
std::string row_of(View clause) {
  static const SpacedPhrases openings = english_list("openings");
  std::string row = spaced_words(clause, ".!?\"()");
  for (View opening = openings.begin_of(row); !opening.empty() && opening.size() + 2 < row.size();
       opening = openings.begin_of(row))
    row.erase(1, opening.size() + 1);
  return row;
}

std::vector<std::string> clauses_of(View sentence) {
  const std::string text = straight(normalize(sentence));
  std::vector<std::string> clauses;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",;:", begin), text.size());
    if (std::string row = row_of(View(text).substr(begin, end - begin)); row.size() > 2)
      clauses.push_back(std::move(row));
    begin = end + 1;
  }
  return clauses;
}

bool is_of_answers(View sentence) { return !wish_aspect(sentence).starts_with("of "); }

bool is_general_english(View sentence) {
  const EnglishSigns& signs = english_signs();
  std::string all = " ";
  const auto clauses = clauses_of(sentence);
  for (const std::string& clause : clauses) all += clause.substr(1);
  if (clauses.empty() || signs.other.any_in(all)) return false;
  const bool requests = holds_any(straight(normalize(sentence)), lexicon("en/wishes", "requests"));
  if (!requests && (sentence.ends_with('?') || !signs.question.begin_of(all).empty())) return false;
  const bool known = is_of_answers(sentence), speaks = signs.speaks.any_in(all);
  const bool likes = signs.likes.any_in(all) && (speaks || known);
  const bool instructs =
      requests || std::any_of(clauses.begin(), clauses.end(), [&](const auto& clause) {
        return !signs.instructs.begin_of(clause).empty() && !only_adds(clause) && !is_exclamation(clause);
      });
  if (!likes && !instructs) return false;
  // "I prefer British spelling, always" tells a taste.
  if (signs.lasting.any_in(all)) return instructs || speaks;
  if (likes && known && signs.answers.any_in(all)) return true;
  return known && signs.with_me.any_in(all) && (likes || signs.said_to_me.any_in(all));
}

bool is_general_chinese(View sentence) {
  const std::string text = fold_han(sentence);
  if (says(text, "other") || tells_habit(text) || tells_own_deed(View(text).substr(0, text.find("，"))) ||
      text.starts_with("他") || text.starts_with("她"))
    return false;
  const bool asks_back = text.ends_with("吗") || text.ends_with("？") || text.ends_with("?");
  if ((asks_back && !says(text, "asks kindly")) || !says(text, "instructs")) return false;
  const bool known = is_of_answers(sentence), with_me = says(text, "with me");
  // 我喜欢英式拼写，一直都是: a taste.
  const auto to_you = lexicon("zh/standing_wishes", "to you");
  if (says(text, "likes") && !holds_any(text, to_you)) return false;
  if (says(text, "lasting")) return known || with_me || says(text, "speaks");
  if (known && says(text, "likes") && says(text, "answers")) return true;
  return known && with_me && says(text, "forbids") && !names_matter(text);
}

}  // namespace

bool is_general_wish(std::string_view sentence) {
  return language_of(sentence) == Language::kChinese ? is_general_chinese(sentence) : is_general_english(sentence);
}

bool may_hold_on(std::string_view sentence) {
  const bool chinese = language_of(sentence) == Language::kChinese;
  const auto clauses = clauses_of(sentence);
  if (chinese ? tells_habit(sentence) : clauses.size() == 1 && is_exclamation(clauses.front())) return false;
  if (is_of_answers(sentence)) return true;
  if (chinese) return says(fold_han(sentence), "lasting");
  return std::any_of(clauses.begin(), clauses.end(),
                     [](const std::string& clause) { return english_signs().lasting.any_in(clause); });
}

}  // namespace weft
