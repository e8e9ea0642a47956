#include "text/time/names.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/speaker_prefix.h"
#include "text/time/calendar_days.h"

namespace weft::timex {
namespace {

constexpr std::size_t kHanBytes = 3;  // of a character

template <std::size_t N>
bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// Behind these a month or a weekday is one.
constexpr std::string_view kBeforeTimes[] = {
    "in",       "on",   "by",      "until",     "till",   "since", "last",   "next",   "this",
    "early",    "late", "mid",     "of",        "from",   "to",    "before", "after",  "during",
    "every",    "each", "through", "between",   "and",    "or",    "the",    "coming", "past",
    "previous", "for",  "end",     "beginning", "around", "about", "than",   "late",   "following"};
constexpr std::string_view kTimeWords[] = {
    "monday",   "tuesday", "wednesday", "thursday", "friday",   "saturday",  "sunday",    "mon",         "tue",
    "tues",     "wed",     "thu",       "thurs",    "fri",      "sat",       "sun",       "january",     "february",
    "march",    "april",   "may",       "june",     "july",     "august",    "september", "october",     "november",
    "december", "jan",     "feb",       "mar",      "apr",      "jun",       "jul",       "aug",         "sep",
    "sept",     "oct",     "nov",       "dec",      "morning",  "afternoon", "evening",   "night",       "day",
    "eve",      "am",      "pm",        "noon",     "midnight", "i",         "im",        "ill",         "ive",
    "id",       "est",     "gmt",       "utc",      "pst",      "cet",       "week",      "weekend",     "spring",
    "summer",   "autumn",  "fall",      "winter",   "new",      "christmas", "easter",    "thanksgiving"};

// Behind these even a capital on the other side does not make a name of it: "on Friday Anna comes".
constexpr std::string_view kFirmly[] = {"in",   "on",     "by",    "until",  "till",  "since", "last",  "next",
                                        "this", "before", "after", "during", "every", "each",  "coming"};

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
      letters(node.end + 1) && tokens[node.end + 1].glued && !is_one_of(tokens[node.end + 1].text, kTimeWords))
    return true;
  return letters(node.begin) && tokens[node.begin].glued && node.begin > 1 && tokens[node.begin - 1].text == "-" &&
         tokens[node.begin - 1].glued && letters(node.begin - 2) &&
         !is_one_of(tokens[node.begin - 2].text, kPrefixes) && !is_one_of(tokens[node.begin - 2].text, kTimeWords);
}

bool is_month_name(std::string_view word) {
  static constexpr std::string_view kMonths[] = {"april", "may", "june", "august", "summer", "autumn", "jan", "mar"};
  return is_one_of(word, kMonths);
}

// "The Day After Tomorrow": small words with a capital, though no sentence begins there.
bool is_title(const std::vector<Token>& tokens, const Node& node) {
  static constexpr std::string_view kSmall[] = {"after", "before",   "day",       "the",   "of",      "next",
                                                "last",  "this",     "in",        "ago",   "week",    "month",
                                                "year",  "tomorrow", "yesterday", "today", "tonight", "now"};
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
  const bool led = node.begin > 0 && is_one_of(tokens[node.begin - 1].text, kBeforeTimes);
  const bool firmly =
      (node.begin > 0 && is_one_of(tokens[node.begin - 1].text, kFirmly)) || is_one_of(first.text, kFirmly);
  const bool opens = begins_sentence(tokens, node.begin);
  // "Friday Night Lights": a part of the day with a capital belongs to a title.
  std::size_t capitals = 0, behind = node.end;
  for (std::size_t i = node.begin; i < node.end; ++i) capitals += is_capital_word(tokens, i) ? 1 : 0;
  for (; is_capital_word(tokens, behind) && is_one_of(tokens[behind].text, kTimeWords); ++behind) ++capitals;
  const bool capital_behind = is_capital_word(tokens, behind) && !is_one_of(tokens[behind].text, kBeforeTimes);
  if (capital_behind && last.capital && (capitals > 1 || !firmly)) return true;
  if (is_title(tokens, node) || ends_title(tokens, node)) return true;
  if (node.end - node.begin != 1 || !first.capital || led) return false;
  NameGender gender = NameGender::kUnknown;
  if (node.begin > 0 && is_capital_word(tokens, node.begin - 1) &&
      !is_one_of(tokens[node.begin - 1].text, kTimeWords) &&
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
  static constexpr std::string_view kWithin[] = {"on", "at", "in", "the", "th", "st", "nd", "rd"};
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
  if (!is_capital_word(tokens, who) || is_one_of(tokens[who].text, kTimeWords) || kMeans.contains(tokens[who].text))
    return false;
  static const LexiconWords kTerms = lexicon_words("en/places", "generic terms");  // by Lake Geneva
  if (kTerms.contains(tokens[who].text) || (is_capital_word(tokens, who + 1) && kTerms.contains(tokens[who + 1].text)))
    return false;
  std::size_t begin = node.begin;  // of the title: the "Good" of "Good Friday"
  while (begin > 0 && is_capital_word(tokens, begin - 1) && !begins_sentence(tokens, begin)) --begin;
  const std::string_view before = begin > 0 ? std::string_view(tokens[begin - 1].text) : "";
  const std::string_view lead = begin > 1 ? std::string_view(tokens[begin - 2].text) : "";
  if (is_one_of(before, kFirmly) || is_one_of(tokens[begin].text, kFirmly)) return false;
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
  static constexpr std::string_view kGoesOn[] = {"and", "but", "with", "where", "which", "since", "for", "now", "near"};
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
  if (node.begin > 0 && begins_sentence(tokens, node.begin - 1) && is_one_of(tokens[node.begin - 1].text, kFirmly))
    return false;
  if (!lives) return false;
  return end >= tokens.size() || tokens[end].kind != TokenKind::kLetters || is_one_of(tokens[end].text, kGoesOn);
}

// ---- Chinese ----

bool starts_with_one(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.starts_with(word); });
}
bool ends_with_one(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return text.ends_with(word); });
}

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
  static constexpr std::string_view kBeforeNames[] = {"叫", "和", "跟", "与", "是", "找", "问", "给",
                                                      "对", "请", "让", "的", "说", "被", "把", "同",
                                                      "见", "约", "由", "向", "名", "，", "为"};
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
  static constexpr std::string_view kSeen[] = {"看", "看了", "看过", "看完", "追", "唱", "听", "读", "读过", "读完"};
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

constexpr FixedDay kFixed[] = {
    // The United Nations and the world
    {"world_braille_day|世界盲文日", 1, 4},
    {"international_day_of_education|国际教育日", 1, 24},
    {"data_privacy_day|data_protection_day", 1, 28},
    {"world_pulses_day|世界豆类日", 2, 10},
    {"international_day_of_women_and_girls_in_science|妇女和女童参与科学国际日", 2, 11},
    {"zero_discrimination_day|零歧视日", 3, 1},
    {"world_hearing_day|国际爱耳日|全国爱耳日|爱耳日", 3, 3},
    {"international_day_for_the_elimination_of_racial_discrimination|国际消除种族歧视日", 3, 21},
    {"world_backup_day|世界备份日", 3, 31},
    {"international_childrens_book_day|国际儿童图书日", 4, 2},
    {"international_day_of_sport_for_development_and_peace", 4, 6},
    {"world_art_day|世界艺术日", 4, 15},
    {"world_voice_day|世界嗓音日", 4, 16},
    {"world_creativity_and_innovation_day|世界创意和创新日", 4, 21},
    {"chinese_language_day|联合国中文日|国际中文日", 4, 20},
    {"english_language_day", 4, 23},
    {"world_malaria_day|世界防治疟疾日|世界疟疾日", 4, 25},
    {"world_penguin_day|世界企鹅日", 4, 25},
    {"world_day_for_safety_and_health_at_work|世界安全生产与健康日|世界工作安全与健康日", 4, 28},
    {"world_tuna_day", 5, 2},
    {"international_firefighters_day|国际消防员日", 5, 4},
    {"international_day_of_light|国际光日", 5, 16},
    {"world_telecommunication_day|world_information_society_day|世界电信日|世界电信和信息社会日", 5, 17},
    {"world_hypertension_day|世界高血压日", 5, 17},
    {"world_day_for_cultural_diversity|世界文化多样性日", 5, 21},
    {"world_turtle_day|世界海龟日|世界龟日", 5, 23},
    {"world_multiple_sclerosis_day", 5, 30},
    {"international_day_of_un_peacekeepers|联合国维持和平人员国际日", 5, 29},
    {"global_day_of_parents|世界父母日", 6, 1},
    {"world_food_safety_day|世界食品安全日", 6, 7},
    {"world_elder_abuse_awareness_day", 6, 15},
    {"world_day_to_combat_desertification|desertification_and_drought_day|世界防治荒漠化和干旱日|世界防治荒漠化日", 6,
     17},
    {"international_widows_day|国际丧偶妇女日", 6, 23},
    {"day_of_the_seafarer|世界海员日|海员日", 6, 25},
    {"asteroid_day|international_asteroid_day|国际小行星日", 6, 30},
    {"world_ufo_day", 7, 2},
    {"world_chocolate_day|世界巧克力日", 7, 7},
    {"world_youth_skills_day|世界青年技能日", 7, 15},
    {"world_emoji_day|世界表情符号日", 7, 17},
    {"world_chess_day|international_chess_day|世界国际象棋日|国际象棋日", 7, 20},
    {"world_day_against_trafficking_in_persons|世界打击贩运人口行为日", 7, 30},
    {"international_cat_day|world_cat_day|国际猫咪日|世界猫日", 8, 8},
    {"international_day_of_the_worlds_indigenous_peoples|世界土著人民国际日", 8, 9},
    {"world_lion_day|世界狮子日", 8, 10},
    {"international_left_handers_day|left_handers_day|国际左撇子日", 8, 13},
    {"international_day_against_nuclear_tests|禁止核试验国际日", 8, 29},
    {"international_day_of_charity|国际慈善日|中华慈善日", 9, 5},
    {"world_patient_safety_day|世界患者安全日", 9, 17},
    {"international_day_of_sign_languages|国际手语日", 9, 23},
    {"european_day_of_languages|欧洲语言日", 9, 26},
    {"world_rabies_day|世界狂犬病日", 9, 28},
    {"international_coffee_day|国际咖啡日", 10, 1},
    {"international_day_for_disaster_risk_reduction|国际减灾日|国际减少灾害风险日", 10, 13},
    {"international_day_of_rural_women|国际农村妇女日", 10, 15},
    {"white_cane_safety_day|国际盲人节|国际盲人日", 10, 15},
    {"world_osteoporosis_day|世界骨质疏松日", 10, 20},
    {"world_stroke_day|世界卒中日|世界中风日", 10, 29},
    {"world_savings_day|世界勤俭日", 10, 31},
    {"world_cities_day|世界城市日", 10, 31},
    {"world_tsunami_awareness_day|世界海啸意识日", 11, 5},
    {"world_pneumonia_day", 11, 12},
    {"international_day_for_the_elimination_of_violence_against_women|国际消除对妇女的暴力日|国际消除家庭暴力日", 11,
     25},
    {"world_soil_day|世界土壤日", 12, 5},
    {"international_civil_aviation_day|国际民航日|国际民用航空日", 12, 7},
    {"universal_health_coverage_day", 12, 12},
    {"arabic_language_day|world_arabic_language_day", 12, 18},
    {"international_human_solidarity_day|国际人类团结日", 12, 20},
    {"world_wetlands_day|世界湿地日|国际湿地日", 2, 2},
    {"world_cancer_day|世界癌症日|世界抗癌日", 2, 4},
    {"world_radio_day|世界无线电日|世界广播日", 2, 13},
    {"world_day_of_social_justice|世界社会公正日", 2, 20},
    {"international_mother_language_day|mother_language_day|国际母语日|世界母语日", 2, 21},
    {"world_wildlife_day|世界野生动植物日", 3, 3},
    {"international_day_of_happiness|world_happiness_day|国际幸福日|国际快乐日", 3, 20},
    {"international_day_of_forests|world_forestry_day|国际森林日|世界森林日|世界林业节", 3, 21},
    {"world_down_syndrome_day|世界唐氏综合征日", 3, 21},
    {"world_meteorological_day|世界气象日", 3, 23},
    {"world_tuberculosis_day|world_tb_day|世界防治结核病日|世界结核病日", 3, 24},
    {"world_theatre_day|world_theater_day|世界戏剧日", 3, 27},
    {"world_autism_awareness_day|world_autism_day|世界自闭症日|世界孤独症日|自闭症日", 4, 2},
    {"international_day_of_human_space_flight|yuris_night|cosmonautics_day|世界航天日", 4, 12},
    {"world_heritage_day|国际古迹遗址日", 4, 18},
    {"world_intellectual_property_day|世界知识产权日", 4, 26},
    {"international_dance_day|world_dance_day|国际舞蹈日|世界舞蹈日", 4, 29},
    {"international_jazz_day|国际爵士乐日", 4, 30},
    {"world_press_freedom_day|世界新闻自由日|国际新闻自由日", 5, 3},
    {"world_red_cross_day|世界红十字日|国际红十字日", 5, 8},
    {"international_museum_day|国际博物馆日|世界博物馆日", 5, 18},
    {"world_bee_day|世界蜜蜂日", 5, 20},
    {"international_tea_day|国际茶日", 5, 21},
    {"international_day_for_biological_diversity|国际生物多样性日", 5, 22},
    {"world_milk_day|世界牛奶日", 6, 1},
    {"world_bicycle_day|世界自行车日", 6, 3},
    {"world_day_against_child_labour|世界无童工日", 6, 12},
    {"world_blood_donor_day|世界献血日|世界献血者日", 6, 14},
    {"world_refugee_day|世界难民日", 6, 20},
    {"international_yoga_day|international_day_of_yoga|world_yoga_day|国际瑜伽日|世界瑜伽日", 6, 21},
    {"world_music_day|fete_de_la_musique|世界音乐日|夏至音乐日", 6, 21},
    {"international_olympic_day|olympic_day|国际奥林匹克日|奥林匹克日", 6, 23},
    {"international_day_against_drug_abuse|国际禁毒日|世界禁毒日|禁毒日", 6, 26},
    {"world_population_day|世界人口日", 7, 11},
    {"nelson_mandela_international_day|mandela_day|曼德拉国际日|曼德拉日", 7, 18},
    {"world_hepatitis_day|世界肝炎日", 7, 28},
    {"international_tiger_day|全球老虎日|世界老虎日", 7, 29},
    {"world_elephant_day|世界大象日", 8, 12},
    {"world_photography_day|世界摄影日", 8, 19},
    {"world_humanitarian_day|世界人道主义日", 8, 19},
    {"international_literacy_day|world_literacy_day|国际扫盲日|世界扫盲日", 9, 8},
    {"world_suicide_prevention_day|世界预防自杀日", 9, 10},
    {"international_day_of_democracy|国际民主日", 9, 15},
    {"world_ozone_day|国际保护臭氧层日|世界臭氧层日", 9, 16},
    {"world_alzheimers_day|世界阿尔茨海默病日|世界老年痴呆日", 9, 21},
    {"world_car_free_day|car_free_day|世界无车日|国际无车日", 9, 22},
    {"world_heart_day|世界心脏日", 9, 29},
    {"international_translation_day|国际翻译日|世界翻译日", 9, 30},
    {"international_day_of_older_persons|国际老年人日|国际老人节|国际老年节", 10, 1},
    {"international_music_day|国际音乐日|国际音乐节", 10, 1},
    {"international_day_of_non-violence|国际非暴力日", 10, 2},
    {"world_post_day|世界邮政日", 10, 9},
    {"international_day_of_the_girl_child|day_of_the_girl|国际女童日|国际女孩日", 10, 11},
    {"world_standards_day|世界标准日", 10, 14},
    {"global_handwashing_day|全球洗手日|世界洗手日", 10, 15},
    {"international_day_for_the_eradication_of_poverty|国际消除贫困日|国际消灭贫困日", 10, 17},
    {"world_polio_day|世界小儿麻痹日", 10, 24},
    {"world_science_day|世界科学日", 11, 10},
    {"world_kindness_day|世界友善日|世界仁爱日", 11, 13},
    {"world_diabetes_day|世界糖尿病日|联合国糖尿病日", 11, 14},
    {"international_day_for_tolerance|国际宽容日|国际容忍日", 11, 16},
    {"international_students_day|world_students_day|国际大学生节|世界学生日|国际学生日", 11, 17},
    {"world_toilet_day|世界厕所日", 11, 19},
    {"world_television_day|世界电视日", 11, 21},
    {"international_day_of_persons_with_disabilities|国际残疾人日|世界残疾人日", 12, 3},
    {"international_volunteer_day|国际志愿者日|国际志愿人员日|国际义工日", 12, 5},
    {"international_anti-corruption_day|国际反腐败日|世界反腐败日", 12, 9},
    {"international_mountain_day|国际山岳日|国际山区日", 12, 11},
    {"international_migrants_day|国际移民日|国际移徙者日", 12, 18},
    {"towel_day|毛巾日", 5, 25},
    {"talk_like_a_pirate_day|international_talk_like_a_pirate_day", 9, 19},
    {"mole_day|摩尔日", 10, 23},
    {"festivus", 12, 23},
    // The Americas
    {"national_freedom_day", 2, 1},
    {"darwin_day|达尔文日", 2, 12},
    {"galentines_day", 2, 13},
    {"lei_day", 5, 1},
    {"geek_pride_day", 5, 25},
    {"national_pet_day", 4, 11},
    {"national_dog_day", 8, 26},
    {"hogmanay", 12, 31},
    {"trafalgar_day", 10, 21},
    {"sinterklaas", 12, 5},
    {"rosa_parks_day", 2, 4},
    {"susan_b._anthony_day|susan_b_anthony_day", 2, 15},
    {"texas_independence_day", 3, 2},
    {"national_tartan_day|tartan_day", 4, 6},
    {"jeffersons_birthday|thomas_jeffersons_birthday", 4, 13},
    {"san_jacinto_day", 4, 21},
    {"national_maritime_day", 5, 22},
    {"harvey_milk_day", 5, 22},
    {"kamehameha_day|king_kamehameha_day", 6, 11},
    {"bunker_hill_day", 6, 17},
    {"west_virginia_day", 6, 20},
    {"pioneer_day", 7, 24},
    {"purple_heart_day", 8, 7},
    {"national_aviation_day", 8, 19},
    {"womens_equality_day", 8, 26},
    {"constitution_day|citizenship_day|constitution_day_and_citizenship_day", 9, 17},
    {"alaska_day", 10, 18},
    {"nevada_day", 10, 31},
    {"bill_of_rights_day", 12, 15},
    {"wright_brothers_day", 12, 17},
    {"st_jean_baptiste_day|saint-jean-baptiste_day|fete_nationale", 6, 24},
    {"national_indigenous_peoples_day", 6, 21},
    {"orange_shirt_day|national_day_for_truth_and_reconciliation", 9, 30},
    {"benito_juarez_day|benito_juarezs_birthday", 3, 21},
    {"tiradentes_day", 4, 21},
    {"brazilian_independence_day|independence_day_of_brazil|巴西独立日|巴西国庆日", 9, 7},
    {"our_lady_of_guadalupe|feast_of_our_lady_of_guadalupe", 12, 12},
    // Europe and the Commonwealth
    {"burns_night|burns_day|彭斯之夜", 1, 25},
    {"st_brigids_day|saint_brigids_day", 2, 1},
    {"st_josephs_day|saint_josephs_day|feast_of_saint_joseph|feast_of_st_joseph|圣若瑟节|圣约瑟节", 3, 19},
    {"walpurgis_night|walpurgisnacht|沃普尔吉斯之夜|女巫之夜", 4, 30},
    {"liberation_day_of_italy", 4, 25},
    {"dutch_liberation_day", 5, 5},
    {"windrush_day", 6, 22},
    {"swiss_national_day|瑞士国庆日|瑞士国庆节", 8, 1},
    {"battle_of_britain_day", 9, 15},
    {"russia_day|俄罗斯日", 6, 12},
    {"defender_of_the_fatherland_day|祖国保卫者日", 2, 23},
    {"unity_day_of_russia|民族团结日", 11, 4},
    {"polish_independence_day|independence_day_of_poland", 11, 11},
    {"finnish_independence_day|independence_day_of_finland|芬兰独立日", 12, 6},
    {"new_years_day_holiday|day_after_new_years_day", 1, 2},
    // Asia and the Pacific
    {"setsubun", 2, 3},
    {"national_foundation_day|建国纪念日", 2, 11},
    {"emperors_birthday|天皇诞生日|天皇诞辰日", 2, 23},
    {"hinamatsuri|girls_day_of_japan|女儿节|雏祭", 3, 3},
    {"showa_day|昭和之日|昭和日", 4, 29},
    {"constitution_memorial_day|宪法纪念日", 5, 3},
    {"tanabata|star_festival", 7, 7},
    {"日本文化日", 11, 3},
    {"shichi-go-san|七五三节", 11, 15},
    {"labor_thanksgiving_day|勤劳感谢日|勤劳感谢之日", 11, 23},
    {"korean_independence_movement_day|samiljeol", 3, 1},
    {"korean_liberation_day|gwangbokjeol|光复节", 8, 15},
    {"hangul_day|hangeul_day|韩文日", 10, 9},
    {"pepero_day", 11, 11},
    {"kartini_day", 4, 21},
    {"pancasila_day", 6, 1},
    {"national_sports_day_of_india", 8, 29},
    {"engineers_day_of_india", 9, 15},
    {"sardar_patel_jayanti|national_unity_day_of_india", 10, 31},
    {"national_youth_day_of_india|swami_vivekananda_jayanti|vivekananda_jayanti", 1, 12},
    {"netaji_jayanti|subhas_chandra_bose_jayanti", 1, 23},
    {"navy_day|indian_navy_day|印度海军节", 12, 4},
    {"kargil_vijay_diwas", 7, 26},
    {"malaysia_day|马来西亚日", 9, 16},
    {"mountain_day|山之日|日本山之日", 8, 11},
    {"culture_day|文化之日", 11, 3},
    {"merdeka_day|hari_merdeka|马来西亚国庆日", 8, 31},
    {"national_day_of_singapore|singapore_national_day|新加坡国庆日|新加坡国庆节", 8, 9},
    {"indonesian_independence_day|印度尼西亚独立日|印尼独立日", 8, 17},
    {"vietnamese_national_day|越南国庆日|越南国庆节", 9, 2},
    {"rizal_day", 12, 30},
    {"national_day_of_the_uae|阿联酋国庆日", 12, 2},
    // China
    {"学雷锋纪念日|学雷锋日", 3, 5},
    {"女生节", 3, 7},
    {"全民国家安全教育日|国家安全教育日", 4, 15},
    {"中国航天日|航天日", 4, 24},
    {"防灾减灾日|全国防灾减灾日", 5, 12},
    {"中国旅游日", 5, 19},
    {"全国科技工作者日|科技工作者日", 5, 30},
    {"六一八购物节", 6, 18},
    {"全国土地日", 6, 25},
    {"中国医师节|医师节", 8, 19},
    {"全国生态日", 8, 15},
    {"全国科普日", 9, 20},
    {"孔子诞辰|孔诞日|孔子诞辰日", 9, 28},
    {"全国消防日|消防日|全国消防宣传日", 11, 9},
    {"全国交通安全日", 12, 2},
    {"一二九运动纪念日", 12, 9},
    {"南京大屠杀死难者国家公祭日", 12, 13},
    {"七七事变纪念日", 7, 7},
    {"九一八事变纪念日|九一八纪念日", 9, 18},
};

/// The n-th weekday of a month; the last with -1. `shift` days later.
constexpr FloatingDay kFloating[] = {
    {"blue_monday", 1, 1, 3, 0},
    {"world_leprosy_day|世界防治麻风病日", 1, 7, -1, 0},
    {"safer_internet_day", 2, 2, 2, 0},
    {"family_day|canadian_family_day|加拿大家庭日", 2, 1, 3, 0},
    {"casimir_pulaski_day|pulaski_day", 3, 1, 1, 0},
    {"world_kidney_day|世界肾脏日", 3, 4, 2, 0},
    {"world_password_day|世界密码日", 5, 4, 1, 0},
    {"world_asthma_day|世界防治哮喘日|世界哮喘日", 5, 2, 1, 0},
    {"national_hot_dog_day", 7, 3, 3, 0},
    {"international_beer_day", 8, 5, 1, 0},
    {"world_first_aid_day|世界急救日", 9, 6, 2, 0},
    {"world_smile_day", 10, 5, 1, 0},
    {"ada_lovelace_day", 10, 2, 2, 0},
    {"sweetest_day", 10, 6, 3, 0},
    {"world_usability_day", 11, 4, 2, 0},
    {"thanksgiving_eve", 11, 4, 4, -1},
    {"world_day_of_prayer", 3, 5, 1, 0},
    {"canberra_day", 3, 1, 2, 0},
    {"take_our_daughters_and_sons_to_work_day|take_your_child_to_work_day|take_our_daughters_to_work_day", 4, 4, 4, 0},
    {"record_store_day", 4, 6, 3, 0},
    {"national_day_of_prayer", 5, 4, 1, 0},
    {"kentucky_derby_day", 5, 6, 1, 0},
    {"world_laughter_day", 5, 7, 1, 0},
    {"free_comic_book_day", 5, 6, 1, 0},
    {"全国助残日|助残日", 5, 7, 3, 0},
    {"emergency_medical_services_for_children_day|emsc_day", 5, 7, 3, 3},
    {"national_doughnut_day|national_donut_day|donut_day", 6, 5, 1, 0},
    {"kings_birthday_of_australia|queens_birthday_of_australia", 6, 1, 2, 0},
    {"national_ice_cream_day", 7, 7, 3, 0},
    {"marine_day|marine_day_of_japan|海之日", 7, 1, 3, 0},
    {"system_administrator_appreciation_day|sysadmin_day|系统管理员日", 7, 5, -1, 0},
    {"heroes_day|national_heroes_day", 8, 1, -1, 0},
    {"respect_for_the_aged_day|敬老日|日本敬老日", 9, 1, 3, 0},
    {"全民国防教育日|国防教育日", 9, 6, 3, 0},
    {"gold_star_mothers_day", 9, 7, -1, 0},
    {"native_american_day", 9, 5, 4, 0},
    {"world_cleanup_day|世界清洁日|世界清洁地球日", 9, 6, 3, 0},
    {"child_health_day", 10, 1, 1, 0},
    {"world_habitat_day|世界人居日|世界住房日", 10, 1, 1, 0},
    {"health_and_sports_day|sports_day_of_japan|体育之日", 10, 1, 2, 0},
    {"world_sight_day|世界视力日|世界视觉日", 10, 4, 2, 0},
    {"melbourne_cup_day|melbourne_cup", 11, 2, 1, 0},
    {"remembrance_sunday|国殇星期日", 11, 7, 2, 0},
    {"world_philosophy_day|世界哲学日|国际哲学日", 11, 4, 3, 0},
    {"great_american_smokeout", 11, 4, 3, 0},
    {"small_business_saturday", 11, 4, 4, 2},
    {"native_american_heritage_day", 11, 4, 4, 1},
};

}  // namespace

bool is_name(const std::vector<Token>& tokens, const Node& node) {
  if (is_hyphenated(tokens, node) || is_english_name(tokens, node) || is_chinese_name(tokens, node)) return true;
  if (node.kind != NodeKind::kTime || node.when->dated) return false;
  return is_address(tokens, node) || is_called(tokens, node) || is_place(tokens, node) || has_maker(tokens, node) ||
         is_in_region(tokens, node);
}

Rules world_days() { return calendar_days(kFixed, kFloating); }

}  // namespace weft::timex
