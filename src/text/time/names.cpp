#include "text/time/context.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/speaker_prefix.h"

namespace weft::timex {
namespace {

constexpr std::size_t kHanBytes = 3;  // of a character

// Behind these a month or a weekday is one.
bool leads_times(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "before times");
  return kWords.contains(word);
}
bool is_time_word(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "words of time");
  return kWords.contains(word);
}

// Behind these even a capital on the other side does not make a name of it: "on Friday Anna comes".
bool leads_times_firmly(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "firmly before times");
  return kWords.contains(word);
}

bool is_capital_word(const std::vector<Token>& tokens, std::size_t at) {
  return at < tokens.size() && tokens[at].kind == TokenKind::kLetters && tokens[at].capital;
}

bool begins_sentence(const std::vector<Token>& tokens, std::size_t at) {
  static constexpr std::string_view kEnds[] = {".", "!", "?", ";", ":", "。", "！", "？", "-", "\"", "(", "*"};
  return at == 0 || is_one_of(tokens[at - 1].text, kEnds);
}

// "mid-April" is a time, "april-report" and "post-June" may be anything.
bool is_hyphenated(const std::vector<Token>& tokens, const Node& node) {
  static constexpr std::string_view kPrefixes[] = {"mid", "late", "early", "pre", "non"};
  const auto letters = [&](std::size_t at) { return at < tokens.size() && tokens[at].kind == TokenKind::kLetters; };
  if (letters(node.end - 1) && node.end + 1 < tokens.size() && tokens[node.end].text == "-" && tokens[node.end].glued &&
      letters(node.end + 1) && tokens[node.end + 1].glued && !is_time_word(tokens[node.end + 1].text))
    return true;
  return letters(node.begin) && tokens[node.begin].glued && node.begin > 1 && tokens[node.begin - 1].text == "-" &&
         tokens[node.begin - 1].glued && letters(node.begin - 2) &&
         !is_one_of(tokens[node.begin - 2].text, kPrefixes) && !is_time_word(tokens[node.begin - 2].text);
}

bool is_month_name(std::string_view word) {
  static const auto kMonths = lexicon("en/times", "first names");
  return is_one_of(word, kMonths);
}

// "The Day After Tomorrow": small words with a capital, though no sentence begins there.
bool is_title(const std::vector<Token>& tokens, const Node& node) {
  static const auto kSmall = lexicon("en/times", "small words of titles");
  std::size_t small = 0;
  for (std::size_t i = node.begin; i < node.end; ++i)
    small += tokens[i].capital && is_one_of(tokens[i].text, kSmall) && !begins_sentence(tokens, i) ? 1 : 0;
  return small > 1;
}

// "After Tomorrow": what is left of such a title.
bool ends_title(const std::vector<Token>& tokens, const Node& node) {
  static constexpr std::string_view kDays[] = {"tomorrow", "yesterday", "today", "tonight"};
  return node.end - node.begin == 1 && tokens[node.begin].capital && is_one_of(tokens[node.begin].text, kDays) &&
         node.begin > 1 && is_capital_word(tokens, node.begin - 1);
}

// A capital word on either side makes a name of a bare one: June Carter, Ruby Tuesday. A known person behind a
// preposition does not: "on Friday Anna comes".
bool is_english_name(const std::vector<Token>& tokens, const Node& node) {
  const Token& first = tokens[node.begin];
  const Token& last = tokens[node.end - 1];
  if (first.kind != TokenKind::kLetters && last.kind != TokenKind::kLetters) return false;
  const bool led = node.begin > 0 && leads_times(tokens[node.begin - 1].text);
  const bool firmly =
      (node.begin > 0 && leads_times_firmly(tokens[node.begin - 1].text)) || leads_times_firmly(first.text);
  const bool opens = begins_sentence(tokens, node.begin);
  // "Friday Night Lights": a part of the day with a capital belongs to a title.
  std::size_t capitals = 0, behind = node.end;
  for (std::size_t i = node.begin; i < node.end; ++i) capitals += is_capital_word(tokens, i) ? 1 : 0;
  for (; is_capital_word(tokens, behind) && is_time_word(tokens[behind].text); ++behind) ++capitals;
  const bool capital_behind = is_capital_word(tokens, behind) && !leads_times(tokens[behind].text);
  if (capital_behind && last.capital && (capitals > 1 || !firmly)) return true;
  if (is_title(tokens, node) || ends_title(tokens, node)) return true;
  if (node.end - node.begin != 1 || !first.capital || led) return false;
  NameGender gender = NameGender::kUnknown;
  if (node.begin > 0 && is_capital_word(tokens, node.begin - 1) && !is_time_word(tokens[node.begin - 1].text) &&
      (!begins_sentence(tokens, node.begin - 1) || is_first_name(tokens[node.begin - 1].text, gender)))
    return true;
  // "June said", "August, come here": alone, such a word is as often somebody.
  const bool number_behind = node.end < tokens.size() && tokens[node.end].kind == TokenKind::kDigits;
  return is_month_name(first.text) && !number_behind && (opens || !led);
}

// "Christmas Island", "the Thursday Murder Club", "on June Lake": words with capitals of which one says what kind of
// place, house or company it is.
bool is_place(const std::vector<Token>& tokens, const Node& node) {
  static const LexiconWords kTerms = lexicon_words("en/places", "generic terms");
  static const LexiconWords kStreets = lexicon_words("en/places", "streets");
  static constexpr std::string_view kJoints[] = {"of", "and", "the", "&", "s", "'"};
  constexpr std::size_t kLongest = 5;  // tokens
  const Token& last = tokens[node.end - 1];
  if (last.kind != TokenKind::kLetters || node.end >= tokens.size()) return false;
  if (!last.capital) return kStreets.contains(tokens[node.end].text) && tokens[node.end].text.size() > 3;
  for (std::size_t i = node.end; i < tokens.size() && i < node.end + kLongest; ++i) {
    if (!tokens[i].capital && !is_one_of(tokens[i].text, kJoints)) break;
    const bool short_form = i > node.end && kStreets.contains(tokens[i].text) && !is_capital_word(tokens, i + 1);
    if (tokens[i].capital && (kTerms.contains(tokens[i].text) || short_form)) return true;
  }
  return false;
}

// "5/12 High Street", "42nd Street": the number of a house or of a street.
bool is_address(const std::vector<Token>& tokens, const Node& node) {
  static const LexiconWords kStreets = lexicon_words("en/places", "streets");
  static const auto kWithin = lexicon("en/times", "within numbers of streets");
  constexpr std::size_t kLongest = 4;  // words
  for (std::size_t i = node.begin; i < node.end; ++i)
    if (tokens[i].kind == TokenKind::kHan ||
        (tokens[i].kind == TokenKind::kLetters && !is_one_of(tokens[i].text, kWithin)))
      return false;
  for (std::size_t i = node.end; i < tokens.size() && i < node.end + kLongest; ++i) {
    if (tokens[i].kind != TokenKind::kLetters || is_function_word(tokens[i].text)) return false;
    if (kStreets.contains(tokens[i].text)) return true;
  }
  return false;
}

// "A cat called Monday", "the film Friday", "her name is Summer", "we watched Wednesday".
bool is_called(const std::vector<Token>& tokens, const Node& node) {
  static const LexiconWords kNaming = lexicon_words("en/places", "names follow");
  static const LexiconWords kCallers = lexicon_words("en/places", "callers");
  static const LexiconWords kWorks = lexicon_words("en/places", "works");
  static const LexiconWords kWatched = lexicon_words("en/places", "works are watched");
  static const LexiconWords kAnimals = lexicon_words("en/people", "animals");
  static const LexiconWords kAdjectives = lexicon_words("en/places", "before a weekday");
  static constexpr std::string_view kWhose[] = {"my", "your", "our", "his", "her", "their", "a", "the"};
  if (node.begin == 0 || tokens[node.begin].kind != TokenKind::kLetters) return false;
  const std::string& before = tokens[node.begin - 1].text;
  const std::string_view lead = node.begin > 1 ? std::string_view(tokens[node.begin - 2].text) : "";
  if (kNaming.contains(before))
    return before != "called" || !(kCallers.contains(lead) || lead.empty() || tokens[node.begin - 2].capital);
  if (kWorks.contains(before) && tokens[node.begin].capital) return true;
  // "Black Friday the film"
  if (node.end + 1 < tokens.size() && tokens[node.end].text == "the" && kWorks.contains(tokens[node.end + 1].text))
    return true;
  if (node.end - node.begin != 1) return false;
  if ((before == "is" || before == "was") && lead == "name") return true;
  if (before == "names" && tokens[node.begin - 1].end - tokens[node.begin - 1].begin > before.size()) return true;
  if (!tokens[node.begin].capital) return false;
  if (kAdjectives.contains(before) && tokens[node.begin - 1].capital) return true;
  if (kAnimals.contains(before) && is_one_of(lead, kWhose)) return true;
  // "My parrot, Friday, bites"
  const bool set_off = before == "," && node.end < tokens.size() && tokens[node.end].text == "," && node.begin > 2;
  if (set_off && kAnimals.contains(lead) && is_one_of(tokens[node.begin - 3].text, kWhose)) return true;
  return kWatched.contains(before);
}

// "Good Friday by Kanye": a work and its maker. Behind a weekday or month that may be somebody who does something then
// ("it comes Friday by Ann"), so that there the maker has two names, or the work is heard or read.
bool has_maker(const std::vector<Token>& tokens, const Node& node) {
  static const LexiconWords kHeard = lexicon_words("en/places", "works are heard"),
                            kMeans = lexicon_words("en/places", "means");
  const std::size_t by = node.end, who = node.end + 1;
  if (!tokens[node.begin].capital || by >= tokens.size() || tokens[by].text != "by") return false;
  if (!is_capital_word(tokens, who) || is_time_word(tokens[who].text) || kMeans.contains(tokens[who].text))
    return false;
  static const LexiconWords kTerms = lexicon_words("en/places", "generic terms");  // by Lake Geneva
  if (kTerms.contains(tokens[who].text) || (is_capital_word(tokens, who + 1) && kTerms.contains(tokens[who + 1].text)))
    return false;
  std::size_t begin = node.begin;  // of the title: the "Good" of "Good Friday"
  while (begin > 0 && is_capital_word(tokens, begin - 1) && !begins_sentence(tokens, begin)) --begin;
  const std::string_view before = begin > 0 ? std::string_view(tokens[begin - 1].text) : "";
  const std::string_view lead = begin > 1 ? std::string_view(tokens[begin - 2].text) : "";
  if (leads_times_firmly(before) || leads_times_firmly(tokens[begin].text)) return false;
  const bool heard = kHeard.contains(before) || ((before == "to" || before == "of") && kHeard.contains(lead));
  if (heard || node.when->fields == kHolidayField) return true;
  const std::string& first = tokens[begin].text;
  if (begin < node.begin && !is_base_verb(first) && !is_past_form(first) && !is_function_word(first)) return true;
  return begins_sentence(tokens, begin) && is_capital_word(tokens, who + 1);
}

// "I live in March, Cambridgeshire": a place with its region, where somebody lives or is from. "We married in June,
// Devon" and "In March, Texas gets hot" have a month.
bool is_in_region(const std::vector<Token>& tokens, const Node& node) {
  static const LexiconWords kRegions = lexicon_words("en/places", "regions"),
                            kLives = lexicon_words("en/places", "lives");
  static const auto kGoesOn = lexicon("en/times", "behind a region");
  const Token& name = tokens[node.end - 1];
  if (name.kind != TokenKind::kLetters || !name.capital || node.end + 1 >= tokens.size()) return false;
  if ((node.when->fields & kWeekdayField) != 0) return false;
  if (tokens[node.end].text != "," || !is_capital_word(tokens, node.end + 1)) return false;
  const std::size_t begin = node.end + 1;
  const bool two =
      is_capital_word(tokens, begin + 1) && kRegions.contains(tokens[begin].text + " " + tokens[begin + 1].text);
  const std::string& region = tokens[begin].text;
  if (!two && !kRegions.contains(region) && !(region.size() > 5 && region.ends_with("shire"))) return false;
  constexpr std::size_t kNear = 4;  // tokens
  bool lives = false;
  for (std::size_t i = node.begin + 1; !lives && i > 0 && node.begin + 1 - i < kNear; --i)
    lives = kLives.contains(tokens[i - 1].text);
  const std::size_t end = begin + (two ? 2 : 1);
  if (begins_sentence(tokens, node.begin)) return node.end - node.begin == 1;
  if (node.begin > 0 && begins_sentence(tokens, node.begin - 1) && leads_times_firmly(tokens[node.begin - 1].text))
    return false;
  if (!lives) return false;
  return end >= tokens.size() || tokens[end].kind != TokenKind::kLetters || is_one_of(tokens[end].text, kGoesOn);
}

// ---- Chinese ----

std::string before_of(const std::vector<Token>& tokens, std::size_t at, int count) {
  std::string text;
  while (at > 0 && count-- > 0 && tokens[at - 1].kind == TokenKind::kHan) text = tokens[--at].text + text;
  return text;
}

std::string behind(const std::vector<Token>& tokens, std::size_t at, int count) {
  std::string text;
  for (; at < tokens.size() && count-- > 0 && tokens[at].kind == TokenKind::kHan; ++at) text += tokens[at].text;
  return text;
}

// Papers, programmes, films, firms and greetings that begin with a word of time, as known to everybody.
bool begins_known_name(const std::string& from) {
  static const auto kNames = lexicon("zh/places", "begin with a time");
  return starts_with_one(from, kNames);
}

// 李明天, 王五月: a surname that is no part of another word stands right before. 小李明天 and 行李明天 are time.
bool has_surname_before(const std::vector<Token>& tokens, const Node& node) {
  if (node.begin == 0 || tokens[node.begin].kind != TokenKind::kHan) return false;
  const std::string& surname = tokens[node.begin - 1].text;
  if (tokens[node.begin - 1].kind != TokenKind::kHan || !is_chinese_surname(surname)) return false;
  const std::string two = before_of(tokens, node.begin - 1, 1);
  if (two.empty()) return true;
  static const auto kBeforeNames = lexicon("zh/times", "before a full name");
  return is_one_of(two, kBeforeNames);
}

// Whether a text begins with a word for streets, which is no part of another: 路, but not 路上.
bool begins_with_street(std::string_view text) {
  static const auto kStreets = lexicon("zh/places", "streets and quarters");
  static const auto kWithin = lexicon("zh/places", "within streets");
  static const auto kOthers = lexicon("zh/places", "no streets");
  const auto begins = [&](std::string_view rest) {
    return std::any_of(kStreets.begin(), kStreets.end(), [&](std::string_view street) {
      if (!rest.starts_with(street)) return false;
      const std::string_view next = rest.substr(street.size());
      static constexpr std::string_view kGoesOn[] = {"上班", "上学", "上课"};  // 国庆路上班
      return street.size() > kHanBytes || starts_with_one(next, kGoesOn) || !starts_with_one(next, kOthers);
    });
  };
  return begins(text) || (starts_with_one(text, kWithin) && begins(text.substr(kHanBytes)));
}

// 元旦小区, 住在国庆酒店, 八月照相馆: of feasts streets, of months and days only shops and where somebody is somewhere.
bool is_chinese_place(const std::vector<Token>& tokens, const Node& node) {
  static const auto kHouses = lexicon("zh/places", "houses");
  static const auto kShops = lexicon("zh/places", "shops");
  static const auto kSomewhere = lexicon("zh/places", "somewhere");
  const std::string next = behind(tokens, node.end, 6), before = before_of(tokens, node.begin, 2);
  if (next.empty()) return false;
  const bool somewhere = ends_with_one(before, kSomewhere) ||
                         (before.ends_with("了") &&
                          ends_with_one(std::string_view(before).substr(0, before.size() - kHanBytes), kSomewhere));
  const bool feast = node.when->fields == kHolidayField;
  const bool named = feast || node.when->fields == kMonthField;
  if (starts_with_one(next, kShops)) return named || somewhere;
  // 三月街在大理
  static constexpr std::string_view kLies[] = {"街在", "路在", "街位于", "路位于"};
  if (begins_with_street(next)) return feast || somewhere || (named && starts_with_one(next, kLies));
  return named && somewhere && starts_with_one(next, kHouses);
}

// 我的猫叫周一, 电影后天, 国庆是我哥.
bool is_chinese_called(const std::vector<Token>& tokens, const Node& node) {
  static const auto kNaming = lexicon("zh/places", "names follow");
  static const auto kWorks = lexicon("zh/places", "works");
  static const auto kBehind = lexicon("zh/places", "behind a title");
  const std::string before = before_of(tokens, node.begin, 4), next = behind(tokens, node.end, 6);
  static const auto kSeen = lexicon("zh/times", "seen and heard");
  if (ends_with_one(before, kNaming) || ends_with_one(before, kWorks) || starts_with_one(next, kBehind)) return true;
  if (before.ends_with("是") && ends_with_one(std::string_view(before).substr(0, before.size() - kHanBytes), kNaming))
    return true;
  if (next.empty() && ends_with_one(before, kSeen)) return true;
  if (before.ends_with("叫")) return next.empty() || next.starts_with("的") || !node.when->deictic;
  if (node.when->deictic || !next.starts_with("是")) return false;
  static const auto kPeople = [] {
    std::vector<std::string_view> words;
    for (const char* list : {"women", "men", "of either"})
      for (const std::string_view word : lexicon("zh/people", list)) words.push_back(word);
    return words;
  }();
  std::string_view who = std::string_view(next).substr(kHanBytes);
  static constexpr std::string_view kWhose[] = {"我", "你", "他", "她", "咱", "们", "的"};
  const std::size_t whole = who.size();
  for (const std::string_view one : kWhose)
    if (who.starts_with(one)) who.remove_prefix(one.size());
  return who.size() < whole && starts_with_one(who, kPeople);
}

bool is_chinese_name(const std::vector<Token>& tokens, const Node& node) {
  if (tokens[node.begin].kind != TokenKind::kHan) return false;
  if (begins_known_name(behind(tokens, node.begin, 5)) || has_surname_before(tokens, node)) return true;
  if (!node.when || node.when->dated || node.when->is_stretch() || !node.when->date) return false;
  return is_chinese_place(tokens, node) || is_chinese_called(tokens, node);
}

}  // namespace

bool is_name(const std::vector<Token>& tokens, const Node& node) {
  if (is_hyphenated(tokens, node) || is_english_name(tokens, node) || is_chinese_name(tokens, node)) return true;
  if (node.kind != NodeKind::kTime || node.when->dated) return false;
  return is_address(tokens, node) || is_called(tokens, node) || is_place(tokens, node) || has_maker(tokens, node) ||
         is_in_region(tokens, node);
}

}  // namespace weft::timex
