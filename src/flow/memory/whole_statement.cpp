#include "flow/memory/said_facts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "flow/memory/fact_meaning.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/standing_wish.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/protected_spans.h"
#include "text/references.h"
#include "text/time_expressions.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

bool is_chinese(View text) { return language_of(text) == Language::kChinese; }

bool is_balanced(View text) {
  struct Pair {
    View open, close;
  };
  static constexpr Pair kPairs[] = {{"(", ")"}, {"[", "]"},   {"{", "}"},   {"（", "）"}, {"【", "】"},
                                    {"“", "”"}, {"「", "」"}, {"『", "』"}, {"《", "》"}};
  for (const Pair& pair : kPairs) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size() && depth >= 0; ++at) {
      if (starts_at(text, at, pair.open)) ++depth;
      // ":)" is a smile.
      const bool smile = pair.close == ")" && at > 0 && (text[at - 1] == ':' || text[at - 1] == '-');
      if (starts_at(text, at, pair.close) && !(smile && depth == 0)) --depth;
    }
    if (depth != 0) return false;
  }
  return std::count(text.begin(), text.end(), '"') % 2 == 0;
}

// The last word of an English sentence, in lower case.
std::string last_word(const std::vector<View>& words) {
  return words.empty() ? std::string() : lower_words(trim_words(words.back()));
}

bool is_verb(View word) {
  const std::string plain = lower_words(trim_words(word));
  if (plain.size() < 2) return false;
  if (is_auxiliary(plain) || is_past_form(plain) || is_base_verb(plain) || is_base_and_past(plain) || plain == "be" ||
      plain == "been")
    return true;
  return plain.ends_with('s') || plain.ends_with("ed") || plain.ends_with("'d") || plain.ends_with("'ll");
}

bool hangs_english(View text) {
  static const LexiconWords ends = lexicon_words("en/telling", "hanging ends"),
                            begins = lexicon_words("en/telling", "hanging begins");
  const auto words = words_in(text);
  if (words.empty()) return true;
  return ends.contains(last_word(words)) || begins.contains(lower_words(trim_words(words.front())));
}

bool hangs_chinese(View text) {
  const View bare = trim_marks(text);
  for (const View end : lexicon("zh/telling", "hanging ends"))
    if (bare.ends_with(end)) return true;
  for (const View begin : lexicon("zh/telling", "hanging begins"))
    if (bare.starts_with(begin)) return true;
  return false;
}

bool hangs(View text) { return is_chinese(text) ? hangs_chinese(text) : hangs_english(text); }

bool has_verb(View text) {
  if (is_chinese(text)) return true;
  const auto words = words_in(text);
  return words.size() > 1 && std::any_of(words.begin() + 1, words.end(), is_verb);
}

// Whether the sentence is about somebody or something of the subject's: "The user's sister …", 用户的妹妹….
bool is_about_relation(View text, View subject) {
  if (!text.starts_with(subject)) return false;
  const View rest = text.substr(subject.size());
  return rest.starts_with("'s ") || rest.starts_with("’s ") || rest.starts_with("的");
}

// "Her husband", 他的车, 她老公: of whom the sentence is about.
bool is_owner(View text, const Reference& one) {
  if (one.form == PronounForm::kDeterminer) return true;
  const View behind = text.substr(one.end);
  return one.language == Language::kChinese && (behind.starts_with("的") || behind.starts_with("自己"));
}

// 用户的把租房预算…, 用户的是…: what stands behind the subject begins no statement.
bool follows_chinese(View text, View subject) {
  constexpr View kOf = "的";
  if (!text.starts_with(subject)) return true;
  View rest = text.substr(subject.size());
  if (trim_marks(rest).size() < 2 * kOf.size()) return false;
  if (!rest.starts_with(kOf)) return true;
  rest.remove_prefix(kOf.size());
  const auto no_nouns = lexicon("zh/telling", "no nouns begin");
  return std::none_of(no_nouns.begin(), no_nouns.end(), [&](View word) { return rest.starts_with(word); });
}

constexpr Time kSomeNow{1'772'622'000'000, 0};  // a Wednesday; which time is now or past does not depend on the day

// The time that a clause begins with, and the words around it.
struct FrontTime {
  std::size_t end = 0;
  View opening, behind;  // "since", what is told
  std::optional<TimeExpression> time;  // nothing for "someday", 以后
};

std::string plain_word(View word) { return lower_words(trim_words(word, " \t\r\n.,;:!?-–—")); }

// "and in", "so since": words that may stand before a time.
bool opens_time(View text, bool chinese) {
  if (chinese) {
    const auto words = lexicon("zh/telling", "before times");
    View rest = trim_marks(text);
    for (bool cut = true; cut && !rest.empty();) {
      cut = false;
      for (const View word : words) {
        if (!rest.starts_with(word)) continue;
        rest = trim_marks(rest.substr(word.size()));
        cut = true;
      }
    }
    return rest.empty();
  }
  static const LexiconWords words = lexicon_words("en/telling", "before times");
  const auto all = words_in(text);
  return std::all_of(all.begin(), all.end(), [](View word) { return words.contains(plain_word(word)); });
}

// "Thursday is", 周四是: the time is what the clause is about.
bool is_subject(View behind, bool chinese) {
  if (chinese) return behind.starts_with("是") || behind.starts_with("的");
  if (behind.starts_with("'")) return true;
  const auto words = words_in(behind);
  return !words.empty() && is_auxiliary(plain_word(words.front()));
}

FrontTime front_time(View clause) {
  const bool chinese = is_chinese(clause);
  for (TimeExpression& one : find_time_expressions(clause, kSomeNow)) {
    const View opening = clause.substr(0, one.begin), behind = clause.substr(one.end);
    if (!opens_time(opening, chinese)) break;
    if (one.kind == TimeKind::kDuration || one.kind == TimeKind::kSet) continue;
    if (is_subject(behind, chinese)) return {};
    return {one.end, opening, behind, std::move(one)};
  }
  const std::string plain = lower_words(clause);
  for (const View word : lexicon(chinese ? "zh/telling" : "en/telling", "other times")) {
    const auto at = plain.find(word);
    if (at == std::string::npos || !opens_time(clause.substr(0, at), chinese)) continue;
    const View behind = clause.substr(at + word.size());
    const bool whole = chinese || behind.empty() || behind.front() == ' ' || behind.front() == ',';
    if (whole) return {at + word.size(), clause.substr(0, at), behind, std::nullopt};
  }
  return {};
}

// "Since 2019", 自从2019年: it goes on.
bool goes_on_since(const FrontTime& front, bool chinese) {
  if (chinese) {
    for (const View word : lexicon("zh/telling", "since"))
      if (front.opening.ends_with(word)) return true;
    const View behind = trim_marks(front.behind);
    for (const View word : lexicon("zh/telling", "since behind times"))
      if (behind.starts_with(word)) return true;
    return false;
  }
  const std::string opening = lower_words(trim_words(front.opening));
  const auto words = lexicon("en/telling", "since");
  return std::any_of(words.begin(), words.end(), [&](View word) { return opening.ends_with(word); });
}

// "Next year", 明年: certainly not yet.
bool is_to_come(View time, bool chinese) {
  const std::string plain = lower_words(time);
  const auto words = lexicon(chinese ? "zh/telling" : "en/telling", "times to come");
  return std::any_of(words.begin(), words.end(), [&](View word) { return plain.find(word) != std::string::npos; });
}

// "I moved to Bern", 我搬到了成都: what came to be so is still so.
bool tells_what_became(View told, bool chinese) {
  if (chinese) {
    const auto words = lexicon("zh/telling", "became");
    return std::any_of(words.begin(), words.end(), [&](View word) { return told.find(word) != View::npos; });
  }
  static const LexiconWords states = lexicon_words("en/telling", "past states");
  for (const View word : words_in(told)) {
    const std::string plain = plain_word(word);
    if (states.contains(plain) || is_auxiliary(plain)) return false;
    if (is_past_form(plain)) return true;
  }
  return false;
}

}  // namespace

bool is_told_whole(std::string_view text) {
  if (!is_balanced(text) || hangs(text)) return false;
  const auto references = find_references(text, protected_spans(text));
  return std::none_of(references.begin(), references.end(),
                      [](const Reference& one) { return one.kind == ReferenceKind::kPerson && one.person == 1; });
}

namespace {

// "The user's dog, is 7" of "Rex, my dog, is 7": one half of an apposition.
bool lost_its_name(std::string_view text) {
  const auto comma = text.find(", ");
  if (comma == View::npos) return false;
  constexpr std::size_t kMostWords = 4;  // whose it is, and what
  const auto subject = words_in(text.substr(0, comma));
  const View behind = text.substr(comma + 2);
  return subject.size() <= kMostWords && std::none_of(subject.begin(), subject.end(), is_auxiliary) &&
         is_auxiliary(behind.substr(0, behind.find(' ')));
}

}  // namespace

bool is_whole_statement(std::string_view text, std::string_view subject) {
  if (!is_balanced(text) || hangs(text) || !has_verb(text) || lost_its_name(text)) return false;
  if (is_chinese(text) && !follows_chinese(text, subject)) return false;
  const bool relation = is_about_relation(text, subject);
  const auto references = find_references(text, protected_spans(text, {std::string(subject)}));
  return std::all_of(references.begin(), references.end(), [&](const Reference& one) {
    if (one.kind == ReferenceKind::kHere || one.kind == ReferenceKind::kThere || one.person < 3) return false;
    return relation && is_owner(text, one);
  });
}

bool is_whole_wish(std::string_view wish) {
  if (!is_balanced(wish) || !names_its_matter(wish) || tells_of_the_moment(wish)) return false;
  const View bare = trim_marks(wish);
  const auto words = words_in(bare);
  static const LexiconWords ends = lexicon_words("en/telling", "hanging ends");
  if (!is_chinese(wish) && (words.empty() || ends.contains(last_word(words)))) return false;
  const auto references = find_references(wish, protected_spans(wish));
  return std::all_of(references.begin(), references.end(), [&](const Reference& one) {
    if (one.person != 3) return true;
    const View before = wish.substr(0, one.begin);
    if (one.gender != Gender::kUnknown) return names_people(before);
    constexpr std::size_t kTold = 2;  // words: what it is has been said
    return index_words(before).size() > kTold;
  });
}

std::size_t end_of_time_in_front(std::string_view clause) { return front_time(clause).end; }

bool is_of_another_time(std::string_view clause) {
  const FrontTime front = front_time(clause);
  if (front.end == 0) return false;
  const bool chinese = is_chinese(clause);
  const View words = clause.substr(0, front.end);
  if (is_to_come(words, chinese)) return true;
  if (front.time) {
    const auto& [from, to] = std::pair(front.time->from_ms, front.time->to_ms);
    if ((!from || *from <= kSomeNow.ms) && (!to || *to >= kSomeNow.ms)) return false;
    if (goes_on_since(front, chinese)) return false;
  }
  return !tells_what_became(front.behind, chinese);
}

bool is_at_another_time(std::string_view clause) {
  if (is_of_another_time(clause)) return true;
  const bool chinese = is_chinese(clause);
  const auto times = find_time_expressions(clause, kSomeNow);
  const auto at = std::find_if(times.begin(), times.end(), [](const TimeExpression& one) {
    return one.kind != TimeKind::kDuration && one.kind != TimeKind::kSet && one.kind != TimeKind::kTime;
  });
  if (at == times.end()) return false;
  if (at->from_ms && *at->from_ms > kSomeNow.ms) return true;
  const bool past = at->from_ms && at->to_ms && *at->to_ms < kSomeNow.ms;
  const View before = clause.substr(0, at->begin);
  const bool since =
      before.ends_with("since ") || before.ends_with("从") || before.ends_with("自") || before.ends_with("自从");
  return past && !since && !tells_what_became(clause, chinese);
}

// 用户去年住在成都: the time stands behind the subject.
bool was_at_another_time(const SaidFact& fact, View subject) {
  const bool state = fact.attribute == "residence" || fact.attribute == "employer" || fact.attribute == "school";
  if (!state || !is_chinese(fact.text) || !View(fact.text).starts_with(subject)) return false;
  return is_of_another_time(View(fact.text).substr(subject.size()));
}

bool may_be_kept(const SaidFact& fact, std::string_view subject) {
  if (fact.text.empty()) return true;
  if (fact.attribute.starts_with("wish:")) return is_whole_wish(fact.quote);
  const View who = !subject.empty() ? subject : name_of_speaker(fact.text);
  if (is_of_another_time(fact.quote) || was_at_another_time(fact, who)) return false;
  if (fact.attribute == kSaidAttribute) return is_told_whole(fact.text);
  return is_whole_statement(fact.text, who);
}

}  // namespace weft
