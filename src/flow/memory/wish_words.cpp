#include "flow/memory/standing_wish.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "text/english_verbs.h"
#include "text/han_text.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/time_expressions.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;

constexpr View kGaps = ".,;:!?\"()";
constexpr std::array<View, 6> kHabits{"总是", "从不", "从来不", "从来没", "老是", "永远是"};
constexpr Time kSomeDay{1'772'700'000'000, 0};  // only where times stand is wanted, not which

const SpacedPhrases& phrases_of(WishSign sign) {
  static const std::array<SpacedPhrases, 11> all{
      SpacedPhrases(lexicon("en/standing_wishes", "asks")),     SpacedPhrases(lexicon("en/standing_wishes", "forbids")),
      SpacedPhrases(lexicon("en/standing_wishes", "speaks")),   SpacedPhrases(lexicon("en/standing_wishes", "likes")),
      SpacedPhrases(lexicon("en/standing_wishes", "always")),   SpacedPhrases(lexicon("en/standing_wishes", "once")),
      SpacedPhrases(lexicon("en/standing_wishes", "pointing")), SpacedPhrases(lexicon("en/standing_wishes", "answers")),
      SpacedPhrases(lexicon("en/standing_wishes", "piece")),    SpacedPhrases(lexicon("en/standing_wishes", "when")),
      SpacedPhrases(lexicon("en/standing_wishes", "brings up"))};
  return all[static_cast<std::size_t>(sign)];
}

// What an answer can be like; of each there is one wish at a time, and the first that a wish names is meant.
constexpr std::array<View, 19> kAspects{"units",    "time format", "currency", "emoji",     "name",
                                        "pronouns", "spelling",    "language", "code",      "format",
                                        "length",   "tone",        "sources",  "apologies", "questions",
                                        "steps",    "examples",    "comments", "spoilers"};

struct Aspect {
  SpacedPhrases english;
  std::span<const View> chinese;
};

const std::vector<Aspect>& aspects() {
  static const auto all = [] {
    std::vector<Aspect> made;
    for (const View name : kAspects)
      made.push_back({SpacedPhrases(lexicon("en/answer_aspects", name)), lexicon("zh/answer_aspects", name)});
    return made;
  }();
  return all;
}

std::string row_of(View clause) { return spaced_words(normalize(clause), kGaps); }

std::string without_politeness(std::string text) {
  static const SpacedPhrases politeness(lexicon("en/standing_wishes", "politeness"));
  for (View polite = politeness.begin_of(text); !polite.empty(); polite = politeness.begin_of(text))
    text.erase(1, polite.size() + 1);
  return text;
}

// "Call me Ann", 叫我小李; not "call me later", 到时候叫我一声, where nobody is named.
bool gives_name(View words, View folded) {
  static const SpacedPhrases no_names(lexicon("en/standing_wishes", "call for"));
  constexpr View kCall = " call me ";
  if (const auto at = words.find(kCall); at != View::npos) {
    const View rest = words.substr(at + kCall.size() - 1);
    const auto times = find_time_expressions(rest, kSomeDay);
    const bool when = !times.empty() && times.front().begin <= 1;
    return rest != " " && !when && no_names.begin_of(rest).empty();
  }
  for (const View call : {"叫我", "喊我"}) {
    const auto at = folded.find(call);
    if (at == View::npos) continue;
    const View name = trim_marks(folded.substr(at + call.size()));
    const auto others = lexicon("zh/standing_wishes", "call for");
    const bool deed = std::any_of(others.begin(), others.end(), [&](View one) { return name.starts_with(one); });
    const auto times = find_time_expressions(name, kSomeDay);
    return !name.empty() && !deed && (times.empty() || times.front().begin > 0);
  }
  return true;
}

std::string aspect_of(const ConditionedWish& read) {
  const std::string words = spaced_words(read.wish, kGaps), folded = fold_han(read.wish);
  for (std::size_t i = 0; i < kAspects.size(); ++i) {
    if (kAspects[i] == "name" && !gives_name(words, folded)) continue;
    if (aspects()[i].english.any_in(words) || holds_any(folded, aspects()[i].chinese)) return std::string(kAspects[i]);
  }
  return "of " + value_key(read.wish);
}

// " convert 37 celsius i never remember " without "i never": whose habit it is says nothing of the wish.
std::string without_habits(std::string words) {
  static const SpacedPhrases whose(lexicon("en/standing_wishes", "habit of"));
  for (std::size_t at = 0; at + 1 < words.size();) {
    const View rest = View(words).substr(at);
    View who = whose.begin_of(rest);
    for (const View also : {" just ", " really ", " also ", " still ", " almost "})
      if (!who.empty() && rest.substr(who.size() + 1).starts_with(also))
        who = rest.substr(1, who.size() + also.size() - 1);
    std::size_t cut = 0;
    for (const View adverb : {" never ", " always ", " ever "})
      if (!who.empty() && rest.substr(who.size() + 1).starts_with(adverb)) cut = who.size() + adverb.size();
    if (cut > 0) {
      words.erase(at, cut);
      continue;
    }
    const auto next = words.find(' ', at + 1);
    if (next == std::string::npos) break;
    at = next;
  }
  return words;
}

// "Don't remind me", 别提了: of what, is not said.
bool lacks_its_matter(View wish) {
  if (language_of(wish) == Language::kChinese) {
    const std::string text = fold_han(trim_marks(wish));
    for (const View verb : lexicon("zh/standing_wishes", "needs matter")) {
      if (!text.starts_with(verb)) continue;
      View rest = trim_marks(View(text).substr(verb.size()));
      for (bool cut = true; cut && !rest.empty();) {
        cut = false;
        for (const View none : lexicon("zh/standing_wishes", "no matter"))
          if (rest.starts_with(none)) rest = trim_marks(rest.substr(none.size())), cut = true;
      }
      return rest.empty();
    }
    return false;
  }
  static const SpacedPhrases forbids(lexicon("en/standing_wishes", "forbids")),
      verbs(lexicon("en/standing_wishes", "needs matter")), none(lexicon("en/standing_wishes", "no matter"));
  const std::string row = row_of(wish);
  View rest = row;
  for (const SpacedPhrases* part : {&forbids, &verbs}) {
    const View found = part->begin_of(rest);
    if (found.empty()) return false;
    rest.remove_prefix(found.size() + 1);
  }
  for (View one = none.begin_of(rest); !one.empty(); one = none.begin_of(rest)) rest.remove_prefix(one.size() + 1);
  return rest.size() <= 1;
}

// "Always call me later", "stop calling me now": one call, at one time.
bool asks_for_one_call(View row) {
  static const SpacedPhrases reaches(lexicon("en/standing_wishes", "reaches me")),
      times(lexicon("en/standing_wishes", "one time"));
  for (auto at = row.find(' '); at != View::npos && at + 1 < row.size(); at = row.find(' ', at + 1)) {
    const View call = reaches.begin_of(row.substr(at));
    if (call.empty()) continue;
    View rest = row.substr(at + call.size() + 1);
    if (rest.size() <= 1) return false;
    for (View time = times.begin_of(rest); !time.empty(); time = times.begin_of(rest))
      rest.remove_prefix(time.size() + 1);
    return rest.size() <= 1;
  }
  return false;
}

}  // namespace

bool names_its_matter(std::string_view wish) {
  static const SpacedPhrases back(lexicon("en/standing_wishes", "points back"));
  return !lacks_its_matter(wish) && !back.any_in(row_of(wish));
}

bool tells_of_the_moment(std::string_view wish) {
  if (language_of(wish) == Language::kChinese) {
    const std::string text = fold_han(trim_marks(wish));
    const auto begins = lexicon("zh/standing_wishes", "no wishes begin");
    const auto others = lexicon("zh/standing_wishes", "others");
    if (std::any_of(others.begin(), others.end(), [&](View one) { return text.starts_with(one); })) return true;
    if (holds_any(text, lexicon("zh/standing_wishes", "always")) || text.find("时候") != View::npos) return false;
    const View first = trim_marks(View(text).substr(0, std::min(text.find("，"), text.find(","))));
    const auto degrees = lexicon("zh/standing_wishes", "more or less");
    const bool at_hand = !holds_any(text, lexicon("zh/standing_wishes", "speaks")) &&
                         std::any_of(degrees.begin(), degrees.end(), [&](View one) { return first.ends_with(one); });
    return at_hand || std::any_of(begins.begin(), begins.end(), [&](View one) { return text.starts_with(one); });
  }
  static const SpacedPhrases begins(lexicon("en/standing_wishes", "no wishes begin")),
      never(lexicon("en/standing_wishes", "never wishes"));
  if (!never.begin_of(row_of(wish)).empty() || asks_for_one_call(row_of(wish))) return true;
  return !begins.begin_of(row_of(wish)).empty() && !WishWords(wish).has(WishSign::kAlways);
}

WishWords::WishWords(std::string_view clause) : words_(row_of(clause)) {
  const bool always = has(WishSign::kAlways);
  words_ = without_politeness(std::move(words_));
  if (always && words_.size() > 1 && !has(WishSign::kAlways)) words_ += "from now on ";
  if (words_ == " ") words_.clear();
}

bool WishWords::has(WishSign sign) const {
  return phrases_of(sign).any_in(sign == WishSign::kAlways ? without_habits(words_) : words_);
}
bool WishWords::begins(WishSign sign) const { return !phrases_of(sign).begin_of(words_).empty(); }

// Behind "never" or "always" some words go on with the verb of the clause before: "we ship on Mondays, never on
// Fridays".
bool only_adds(std::string_view words) {
  static const SpacedPhrases goes_on(lexicon("en/standing_wishes", "goes on"));
  for (const View adverb : {" never ", " always "}) {
    if (!words.starts_with(adverb)) continue;
    const View rest = words.substr(adverb.size() - 1);
    static const LexiconWords kEllipses = {"have", "has", "had", "did", "do",  "does",
                                           "will", "am",  "is",  "was", "been"};
    // "I prefer tea, always", "always have".
    return rest == " " || kEllipses.contains(trim_words(rest)) || !goes_on.begin_of(rest).empty();
  }
  return false;
}

namespace {

// "Never give up", "always look on the bright side": said to everybody and nobody.
bool is_motto(View behind_adverb) {
  static const SpacedPhrases mottos(lexicon("en/standing_wishes", "mottos")),
      sayings(lexicon("en/standing_wishes", "sayings")), ends(lexicon("en/standing_wishes", "ends of mottos"));
  if (!sayings.begin_of(behind_adverb).empty()) return true;
  const View motto = mottos.begin_of(behind_adverb);
  if (motto.empty()) return false;
  View rest = behind_adverb.substr(motto.size() + 1);
  for (const View preposition : {" on ", " in ", " for ", " to "})
    if (rest.starts_with(preposition)) rest.remove_prefix(preposition.size() - 1);
  return rest == " " || !ends.begin_of(rest).empty();
}

}  // namespace

bool is_exclamation(std::string_view words) {
  static const SpacedPhrases between(lexicon("en/standing_wishes", "between")),
      objects(lexicon("en/standing_wishes", "objects"));
  static const LexiconWords verbs = lexicon_words("en/standing_wishes", "instructing verbs"),
                            asking = lexicon_words("en/standing_wishes", "asks"),
                            instructing = lexicon_words("en/wishes", "instructs"),
                            own = lexicon_words("en/standing_wishes", "own verbs");
  View rest = words;
  if (!rest.starts_with(" never ") && !rest.starts_with(" always ")) return false;
  for (View one = between.begin_of(rest); !one.empty(); one = between.begin_of(rest))
    rest.remove_prefix(one.size() + 1);
  if (rest.size() < 2 || is_motto(rest)) return true;
  const View verb = rest.substr(1, rest.find(' ', 1) - 1), behind = rest.substr(verb.size() + 1);
  if (own.contains(verb) || verb == "no") return true;
  if (is_base_verb(verb) || verbs.contains(verb) || asking.contains(verb) || instructing.contains(verb)) return false;
  const bool other = is_past_form(verb) || is_participle(verb) || verb.ends_with("ing") ||
                     !objects.begin_of(rest).empty() || only_adds(words);
  return other || objects.begin_of(behind).empty();
}

ChineseWish read_chinese_wish(std::string_view clause) {
  const std::string text = fold_han(clause);
  ChineseWish wish;
  wish.always = holds_any(text, lexicon("zh/standing_wishes", "always"));
  wish.once = holds_any(text, lexicon("zh/standing_wishes", "once"));
  wish.pointing = holds_any(text, lexicon("zh/standing_wishes", "pointing"));
  wish.speaks = holds_any(text, lexicon("zh/standing_wishes", "speaks"));
  const bool to_me = holds_any(text, lexicon("zh/standing_wishes", "asks of you"));
  const bool own = !to_me && (text.starts_with("我") || tells_own_deed(text) ||
                              holds_any(text, lexicon("zh/standing_wishes", "purpose")));
  const bool asks = holds_any(text, lexicon("zh/standing_wishes", "asks"));
  const bool question = text.ends_with("吗") || text.ends_with("呢") || text.ends_with("？") || text.ends_with("?") ||
                        holds_any(text, lexicon("zh/standing_wishes", "questions"));
  wish.asks = asks && !own && !question;
  return wish;
}

// 我 behind 给, 让 and others is whom something is done to or for.
bool tells_own_deed(std::string_view clause) {
  constexpr View kTo = "给跟对叫让帮为替和回问向教陪等请答复诉";
  constexpr std::size_t kBytes = 3;
  for (const View deed : lexicon("zh/standing_wishes", "own deeds"))
    for (auto at = clause.find(deed); at != View::npos; at = clause.find(deed, at + 1)) {
      const std::size_t before = at < kBytes ? View::npos : kTo.find(clause.substr(at - kBytes, kBytes));
      if (before == View::npos || before % kBytes != 0) return true;
    }
  return false;
}

bool tells_habit(std::string_view clause) {
  const std::string text = fold_han(clause);
  const bool habit = std::any_of(kHabits.begin(), kHabits.end(), [&](View one) { return text.starts_with(one); });
  if (!habit && !holds_any(text, lexicon("zh/standing_wishes", "mottos"))) return false;
  return !holds_any(text, lexicon("zh/standing_wishes", "to you")) &&
         !holds_any(text, lexicon("zh/standing_wishes", "speaks")) && !is_standing_by_nature(wish_aspect(clause));
}

std::vector<std::string_view> wish_clauses(std::string_view sentence, bool chinese) {
  std::vector<std::string_view> clauses;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end, std::size_t next) {
    if (end > begin) clauses.push_back(sentence.substr(begin, end - begin));
    begin = next;
  };
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const std::string_view rest = sentence.substr(at);
    if (chinese) {
      for (const View mark : {"，", ",", "；", ";"})
        if (rest.starts_with(mark)) cut(at, at + mark.size());
      continue;
    }
    for (const View mark : {", and ", ", but ", ", ", "; ", " and ", " but "}) {
      if (!rest.starts_with(mark) || at < begin) continue;
      const WishWords next(rest.substr(mark.size()));
      const bool asks = !next.empty() && next.begins(WishSign::kAsks) && !only_adds(row_of(rest.substr(mark.size())));
      if (asks && !row_of(sentence.substr(begin, at - begin)).ends_with(" please ")) cut(at, at + mark.size());
      break;
    }
  }
  cut(sentence.size(), sentence.size());
  // "以后，都用中文回答": what only says from when belongs to what follows.
  if (chinese && clauses.size() > 1) {
    std::vector<std::string_view> joined;
    for (std::size_t i = 0; i < clauses.size(); ++i) {
      const bool only_when = clauses[i].size() <= 21 && wish_aspect(clauses[i]).starts_with("of ") &&
                             read_chinese_wish(clauses[i]).always && i + 1 < clauses.size();
      if (!only_when) {
        joined.push_back(clauses[i]);
        continue;
      }
      const char* first = clauses[i].data();
      joined.emplace_back(first, static_cast<std::size_t>(clauses[i + 1].data() + clauses[i + 1].size() - first));
      ++i;
    }
    return joined;
  }
  return clauses;
}

std::span<const View> answer_aspects() { return kAspects; }

bool is_standing_by_nature(std::string_view aspect) {
  static constexpr std::array<View, 9> kLasting{"units",    "time format", "currency", "emoji",   "name",
                                                "spelling", "apologies",   "spoilers", "comments"};
  return std::find(kLasting.begin(), kLasting.end(), aspect) != kLasting.end();
}

std::string wish_aspect(std::string_view wish) { return aspect_of(read_wish_condition(wish)); }

std::string wish_attribute(std::string_view wish) {
  const ConditionedWish read = read_wish_condition(wish);
  return "wish:" + aspect_of(read) + (read.condition.empty() ? "" : " when " + value_key(read.condition));
}

namespace {

// The first place at which one of the phrases stands, and its size; none: npos.
std::pair<std::size_t, std::size_t> first_of(View text, std::span<const View> phrases) {
  std::pair<std::size_t, std::size_t> first{View::npos, 0};
  for (const View phrase : phrases)
    if (const auto at = text.find(phrase); at < first.first) first = {at, phrase.size()};
  return first;
}

// Where in a row of words one of the phrases stands; none: npos.
std::size_t place_of(const SpacedPhrases& phrases, View row) {
  for (std::size_t at = 0; at + 1 < row.size(); at = row.find(' ', at + 1))
    if (!phrases.begin_of(row.substr(at)).empty()) return at;
  return View::npos;
}

// From the words that open it to the next comma.
ConditionedWish conditioned_english(const std::string& text) {
  static const SpacedPhrases openings(lexicon("en/wishes", "occasion"));
  ConditionedWish read;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string row = spaced_words(View(text).substr(begin, end - begin), "!?\"()");
    const std::size_t at = read.condition.empty() ? place_of(openings, row) : View::npos;
    if (at != View::npos) read.condition = trim_words(View(row).substr(at));
    read.wish += row.substr(0, at);
    begin = end + 1;
  }
  return read.condition.empty() ? ConditionedWish{text, {}} : read;
}

// From 我 to 的时候 or 时, in one clause.
ConditionedWish conditioned_chinese(const std::string& text) {
  const auto [at, size] = first_of(text, lexicon("zh/wishes", "at the time"));
  if (at == View::npos) return {text, {}};
  const std::size_t mark = text.substr(0, at).rfind("，");
  const std::size_t begin = text.find("我", mark == std::string::npos ? 0 : mark);
  if (begin >= at) return {text, {}};
  return {std::string(trim_marks(text.substr(0, begin) + text.substr(at + size))), text.substr(begin, at - begin)};
}

}  // namespace

ConditionedWish read_wish_condition(std::string_view wish) {
  const std::string text = normalize(wish);
  return language_of(wish) == Language::kChinese ? conditioned_chinese(text) : conditioned_english(text);
}

namespace {

constexpr std::size_t kMatter = 2;  // characters: one alone is as often a part of a word for manner

// What is said of asking, answering and manner, whatever it is about.
std::vector<View> manner_of(const std::string& language) {
  std::vector<View> all;
  const auto take = [&](const char* file, View list) {
    const auto phrases = lexicon(language + "/" + file, list);
    all.insert(all.end(), phrases.begin(), phrases.end());
  };
  for (const char* list : {"asks", "speaks", "always", "manner"}) take("standing_wishes", list);
  for (const View aspect : answer_aspects()) take("answer_aspects", aspect);
  return all;
}

bool is_matter_english(View word) {
  static const std::set<View> manner = [] {
    std::set<View> words;
    for (const View phrase : manner_of("en"))
      for (const View one : split_list(phrase, ' ')) words.insert(one);
    return words;
  }();
  const bool spelled = std::any_of(word.begin(), word.end(), [](char c) { return is_letter(c); });
  return spelled && !word.ends_with("ly") && !is_function_word(word) && !manner.contains(word);
}

bool names_matter_english(View clause) {
  const std::string row = spaced_words(normalize(clause), ".,;:!?\"()");
  const auto words = split_list(row, ' ');
  return std::any_of(words.begin(), words.end(), is_matter_english);
}

// The longest phrase of manner that a text begins with, in bytes.
std::size_t manner_at(View text) {
  static const std::vector<View> phrases = [] {
    std::vector<View> all = manner_of("zh");
    std::sort(all.begin(), all.end(), [](View a, View b) { return a.size() > b.size(); });
    return all;
  }();
  for (const View phrase : phrases)
    if (text.starts_with(phrase)) return phrase.size();
  return 0;
}

bool names_matter_chinese(View clause) {
  const std::string text = fold_han(clause);
  std::size_t left = 0;
  for (std::size_t at = 0; at < text.size();) {
    const View rest = View(text).substr(at);
    if (const std::size_t manner = manner_at(rest); manner > 0) {
      at += manner;
      continue;
    }
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool letter = is_cjk(c) || is_letter(c);
    left += letter && !is_function_word(View(text).substr(begin, at - begin));
  }
  return left >= kMatter;
}

}  // namespace

bool names_matter(std::string_view clause) {
  return language_of(clause) == Language::kChinese ? names_matter_chinese(clause) : names_matter_english(clause);
}

}  // namespace weft
