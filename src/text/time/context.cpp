#include "text/time/context.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "text/english_verbs.h"
#include "text/lexicon.h"

namespace weft::timex {
namespace {

constexpr std::size_t kWindow = 14;  // tokens of a sentence that are looked at on either side

bool is_common_past(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "past verbs");
  return kWords.contains(word);
}
bool is_future_verb(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "future verbs");
  return kWords.contains(word);
}
// What is arranged is to come, though it was arranged in the past.
bool is_arranged(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "arranged");
  return kWords.contains(word);
}

bool is_past_verb(const Token& token) {
  if (token.kind != TokenKind::kLetters) return false;
  if (is_common_past(token.text) || is_past_form(token.text)) return true;
  const auto size = token.text.size();
  return size > 4 && token.text.compare(size - 2, 2, "ed") == 0 && token.text != "need" && token.text != "speed" &&
         token.text != "indeed" && token.text != "hundred" && token.text != "exceed";
}

bool is_text(const std::vector<Token>& tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].text == text;
}

bool is_digits(const std::vector<Token>& tokens, std::size_t at) {
  return at < tokens.size() && tokens[at].kind == TokenKind::kDigits;
}

/// A number that goes on to the right or the left of the tokens: 3.5, 650-650, 1,000, v3, $5, 5%.
bool cuts_number(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  static constexpr std::string_view kJoints[] = {"-", ".", ":", "/", ",", "_"};
  static constexpr std::string_view kBefore[] = {"$", "#", "€", "£", "¥", "+", "=", "&", "_"};
  if (is_digits(tokens, end - 1) && end < tokens.size() && tokens[end].glued) {
    const Token& next = tokens[end];
    if (next.text == "%" || next.text == "°" || next.text == "$") return true;
    if (next.kind == TokenKind::kLetters || next.kind == TokenKind::kDigits) return true;
    if (is_one_of(next.text, kJoints) && is_digits(tokens, end + 1) && tokens[end + 1].glued) return true;
  }
  if (!is_digits(tokens, begin) || begin == 0) return false;
  const Token& before = tokens[begin - 1];
  if (is_one_of(before.text, kBefore)) return true;
  if (!tokens[begin].glued) return false;
  if (before.kind == TokenKind::kLetters) return before.text != "on" && before.text != "at";
  return is_one_of(before.text, kJoints) && begin > 1 && tokens[begin - 1].glued && is_digits(tokens, begin - 2);
}

/// Text of the Chinese characters around, up to three on a side.
std::string around(const std::vector<Token>& tokens, std::size_t at, int step, int count) {
  std::string text;
  for (std::size_t i = at; count > 0 && i < tokens.size() && tokens[i].kind == TokenKind::kHan; --count) {
    text = step > 0 ? text + tokens[i].text : tokens[i].text + text;
    if (step < 0 && i == 0) break;
    i = step > 0 ? i + 1 : i - 1;
  }
  return text;
}

/// The ">" of a tag: <div>6pm.
bool closes_tag(const std::vector<Token>& tokens, const Node& node) {
  return tokens[node.begin].text == ">" && tokens[node.begin].glued && node.begin > 0 &&
         tokens[node.begin - 1].kind == TokenKind::kLetters;
}

/// 周一、三、五, 周一三五: a timetable.
bool is_weekday_list(const std::vector<Token>& tokens, const Node& node) {
  static constexpr std::string_view kDays[] = {"一", "二", "三", "四", "五", "六", "日"};
  static const auto kUnits = lexicon("zh/times", "counted by a digit");
  const auto is_day = [&](std::size_t at) { return at < tokens.size() && is_one_of(tokens[at].text, kDays); };
  if (!node.when || node.when->fields != kWeekdayField || !is_day(node.end - 1)) return false;
  if (is_day(node.end)) return is_day(node.end + 1);
  if (!is_text(tokens, node.end, ",") || !is_day(node.end + 1)) return false;
  return node.end + 2 >= tokens.size() || !is_one_of(tokens[node.end + 2].text, kUnits);
}

/// Chinese has no spaces, so that the last character of a time may be the first of another word: 早上起来, 三点建议,
/// 月饼.
bool goes_on_as_word(const std::string& last, const std::string& next) {
  static const auto kWords = lexicon("zh/times", "words behind");
  return starts_with_one(last + next, kWords);
}

/// 天问一号, 解放路三号, 前门大街30号, 3号独立会议室: a number of something else than the days of the month.
bool numbers_other(const std::vector<Token>& tokens, const Node& node, std::string_view before, std::string_view next) {
  static const auto kNumbers = lexicon("zh/times", "digits"),
                    kBeforeDay = lexicon("zh/times", "before a day of the month"),
                    kStreets = lexicon("zh/times", "streets"), kNoStreets = lexicon("zh/times", "no streets"),
                    kBehindDay = lexicon("zh/times", "behind a day of the month");
  if (tokens[node.end - 1].text != "号") return false;
  const bool words = tokens[node.begin].kind == TokenKind::kHan && is_one_of(tokens[node.begin].text, kNumbers);
  // A day has a word of time or place before it, or nothing, and no noun behind it.
  if (words && node.end - node.begin <= 3 && !before.empty() && !ends_with_one(before, kBeforeDay)) return true;
  if (node.end - node.begin == 2 && ends_with_one(before, kStreets) && !ends_with_one(before, kNoStreets)) return true;
  const bool bare = node.when && (node.when->fields & kMonthField) == 0;
  return bare && !next.empty() && !starts_with_one(next, kBehindDay);
}

/// 这三点, 快一点: three points, a little.
bool is_point(const std::vector<Token>& tokens, const Node& node, std::string_view before, std::string_view next) {
  static const auto kBeforePoint = lexicon("zh/times", "before a point"),
                    kTimes = lexicon("zh/times", "before an hour");
  const std::string& last = tokens[node.end - 1].text;
  if ((last != "点" && last != "时") || node.end - node.begin != 2) return false;
  if (ends_with_one(before, kBeforePoint)) return true;
  return tokens[node.begin].text == "一" && !ends_with_one(before, kTimes) && !(before.empty() && next.empty());
}

/// Whether the characters around a Chinese time make something else of it.
bool is_chinese_other(const std::vector<Token>& tokens, const Node& node) {
  static const auto kNumbers = lexicon("zh/times", "digits"), kNoTimes = lexicon("zh/times", "before no time"),
                    kBeforeSide = lexicon("zh/times", "before a side"),
                    kBeforeOne = lexicon("zh/times", "before one day");
  // 周一/三/五: a timetable.
  if (node.end < tokens.size() && tokens[node.end].text == "/" && tokens[node.end].glued) return true;
  if (is_weekday_list(tokens, node)) return true;
  const std::string &first = tokens[node.begin].text, &last = tokens[node.end - 1].text;
  const std::string next = around(tokens, node.end, 1, 3);
  const std::string before = node.begin > 0 ? around(tokens, node.begin - 1, -1, 3) : std::string();
  if (ends_with_one(before, kNoTimes) || goes_on_as_word(last, next)) return true;
  // 七八月: two numbers in a row are neither.
  if (is_one_of(first, kNumbers) && ends_with_one(before, kNumbers)) return true;
  // 以后三天 and 之前两周 begin behind the word that 后 and 前 are the end of.
  if ((first == "后" || first == "前") && ends_with_one(before, kBeforeSide)) return true;
  // 搬家之后两周: counted from what stands before it, not from now.
  if ((first == "之" || first == "以") && !before.empty()) return true;
  if (numbers_other(tokens, node, before, next) || is_point(tokens, node, before, next)) return true;
  // 早, 晚 and 夜 are words of many others; alone they are no time.
  if (node.end - node.begin == 1 && (last == "早" || last == "晚" || last == "夜"))
    return !(before.empty() && next.empty());
  const bool one = node.end - node.begin == 2 && first == "一";
  const bool unit = last == "天" || last == "年" || last == "日" || last == "周";
  return one && unit && ends_with_one(before, kBeforeOne);
}

// What the verbs and particles of some tokens say of time.
struct Weight {
  int past = 0, future = 0, present = 0;
  int doing = 0;  ///< "I'm training for a race": to come, unless what was done is told as well

  bool none() const { return past == 0 && future == 0 && doing == 0; }
};

// "We'll" and "well" are one word to the grammar; the apostrophe tells them apart.
bool has_apostrophe(const Token& token) { return token.end - token.begin > token.text.size(); }

bool is_present(std::string_view word) {
  static const LexiconWords kWords = lexicon_words("en/times", "present");
  return kWords.contains(word);
}

// "I moved to Lisbon in March" tells of a home; "it moved to Thursday" and "we moved the talk" of what is to come.
bool moves_home(const std::vector<Token>& tokens, std::size_t at, std::size_t time) {
  static const auto kWhere = lexicon("en/times", "where one moves");
  static const auto kWho = lexicon("en/times", "who moves");
  static constexpr std::string_view kWhose[] = {"my", "your", "his", "her", "our", "their"};
  if (tokens[at].text != "moved" || at + 1 >= tokens.size() || !is_one_of(tokens[at + 1].text, kWhere)) return false;
  const bool to_a_time = time == at + 2 || (time == at + 3 && tokens[at + 2].text == "the");
  if (tokens[at + 1].text == "to" && to_a_time) return false;
  if (at == 0 || ends_sentence(tokens, at - 1)) return true;  // "Moved to Bern in January"
  return is_one_of(tokens[at - 1].text, kWho) || tokens[at - 1].capital ||
         (at > 1 && is_one_of(tokens[at - 2].text, kWhose));
}

// What may stand between a subject and its verb.
std::size_t without_adverbs(const std::vector<Token>& tokens, std::size_t end) {
  while (end > 0 && is_mid_adverb(tokens[end - 1].text)) --end;
  return end;
}

// "I quit on Monday", "Ann read it on Tuesday": behind its subject, a verb whose past is its base tells of what was.
// What the verb belongs to must not be asked, planned or supposed: "did he quit", "when I quit".
bool is_past_behind_subject(const std::vector<Token>& tokens, std::size_t at) {
  if (!is_base_and_past(tokens[at].text)) return false;
  std::size_t who = without_adverbs(tokens, at);
  if (who == 0) return false;
  const Token& subject = tokens[--who];
  static constexpr std::string_view kSubjects[] = {"i", "we", "he", "she", "they", "it"};
  const bool name = subject.kind == TokenKind::kLetters && subject.capital && who + 1 == at &&
                    !is_auxiliary(subject.text) && !is_base_verb(subject.text);
  static const auto kNouns = lexicon("en/times", "before a subject");
  // "My sister put the house up": the base form would have an "s".
  bool noun = false;
  for (std::size_t i = who; !noun && i > 0 && who - i < 2 && subject.kind == TokenKind::kLetters; --i)
    if (is_one_of(tokens[i - 1].text, kNouns)) noun = true, who = i - 1;
  if (!is_one_of(subject.text, kSubjects) && !name && !noun) return false;
  if (who == 0) return true;
  static const auto kOpen = lexicon("en/times", "not told");
  const std::string& before = tokens[who - 1].text;
  return !is_auxiliary(before) && !(is_one_of(before, kOpen) && (name || before != "and"));
}

// "Quit on Monday": told, or asked for.
bool opens_with_such_verb(const std::vector<Token>& tokens, std::size_t begin) {
  std::size_t first = begin;
  while (first > 0 && begin - first < kWindow && !ends_sentence(tokens, first - 1)) --first;
  // The others are mostly asked for: "set a reminder for Monday".
  static const auto kTold = lexicon("en/times", "told without a subject");
  return first < begin && is_one_of(tokens[first].text, kTold);
}

// `time` is where the expression begins whose tense is looked for.
bool is_future_word(const std::vector<Token>& tokens, std::size_t at, std::size_t time) {
  const Token& token = tokens[at];
  if (moves_home(tokens, at, time)) return false;
  if (token.text == "signed" && !is_text(tokens, at + 1, "up")) return false;  // a lease, other than for a race
  if (token.text == "ill" || token.text == "well") return has_apostrophe(token);
  static const auto kDeterminers = lexicon("en/times", "determiners");
  const bool noun = at > 0 && is_one_of(tokens[at - 1].text, kDeterminers);  // "I read the book"
  if (noun && (token.text == "book" || token.text == "let")) return false;
  return is_future_verb(token.text) || is_arranged(token.text);
}

// "I'm training for a race", "we're thinking of going".
bool is_doing(const std::vector<Token>& tokens, std::size_t at) {
  const Token& token = tokens[at];
  if (at == 0 || token.kind != TokenKind::kLetters || token.text.size() < 6 || !token.text.ends_with("ing"))
    return false;
  const Token& before = tokens[at - 1];
  return is_present(before.text) || (before.text == "were" && has_apostrophe(before));
}

// 重要, 会议 and 一定 plan nothing.
bool is_future_particle(const std::vector<Token>& tokens, std::size_t at) {
  static constexpr std::string_view kPlain[] = {"将", "吧", "预", "订"};
  struct Pair {
    std::string_view text, first, second;
  };
  static constexpr Pair kOther[] = {{"要", "重主必不首摘纪概只紧", "点素求件闻"},
                                    {"请", "申邀聘", "问"},
                                    {"会", "社机大协年开聚晚宴董工体学国理", "议员场所计面话晤"}};
  static constexpr Pair kOnly[] = {{"打", "", "算"},
                                   {"准", "", "备"},
                                   {"计", "", "划"},
                                   {"记", "", "得"},
                                   {"提", "", "醒"},
                                   {"安", "", "排"},
                                   {"约", "预相邀", "好定了在"},
                                   {"定", "预约订决商", ""}};
  const std::string& text = tokens[at].text;
  const auto beside = [&](std::string_view set, std::size_t other) {
    return other < tokens.size() && tokens[other].kind == TokenKind::kHan &&
           set.find(tokens[other].text) != std::string_view::npos;
  };
  if (is_one_of(text, kPlain)) return true;
  for (const Pair& pair : kOther)
    if (pair.text == text) return !(at > 0 && beside(pair.first, at - 1)) && !beside(pair.second, at + 1);
  for (const Pair& pair : kOnly)
    if (pair.text == text) return (at > 0 && beside(pair.first, at - 1)) || beside(pair.second, at + 1);
  return false;
}

void weigh(const std::vector<Token>& tokens, std::size_t at, std::size_t time, Weight& weight) {
  const Token& token = tokens[at];
  if (token.kind == TokenKind::kHan) {
    static constexpr std::string_view kPast[] = {"了", "过", "曾", "已"};
    if (is_one_of(token.text, kPast)) ++weight.past;
    if (is_future_particle(tokens, at)) ++weight.future;
    return;
  }
  const bool state = at > 0 && is_present(tokens[at - 1].text);  // "is closed" tells of no past
  static const auto kFinite = lexicon("en/times", "finite verbs");
  // "I set the date for Monday": what is set is to come.
  const bool set_for = time > 0 && (tokens[time - 1].text == "for" || tokens[time - 1].text == "to");
  if (!set_for && is_past_behind_subject(tokens, at))
    ++weight.past;
  else if (is_future_word(tokens, at, time))
    ++weight.future;
  else if (is_doing(tokens, at))
    ++weight.doing;
  else if (!state && is_past_verb(token) && !(token.text == "were" && has_apostrophe(token)))
    ++weight.past;
  else if (is_one_of(token.text, kFinite))
    ++weight.present;
}

bool ends_clause(const std::vector<Token>& tokens, std::size_t at) {
  static constexpr std::string_view kJoints[] = {",",        ":",      "(",   ")",       "since",
                                                 "because",  "when",   "but", "which",   "while",
                                                 "although", "though", "if",  "whereas", "-"};
  return ends_sentence(tokens, at) ||
         (is_one_of(tokens[at].text, kJoints) && !(tokens[at].text == "-" && tokens[at].glued));
}

// English verbs of the clause in which an expression stands say more than those of its neighbours.
Weight weight_of_clause(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  Weight weight;
  for (std::size_t i = begin; i > 0 && begin - i < kWindow && !ends_clause(tokens, i - 1);)
    weigh(tokens, --i, begin, weight);
  for (std::size_t i = end; i < tokens.size() && i - end < kWindow && !ends_clause(tokens, i); ++i) {
    if (tokens[i].text == "and") break;
    weigh(tokens, i, begin, weight);
  }
  return weight;
}

// 二月结婚了, 二月去过罗马: behind the time the clause says that it is done.
bool is_done_chinese(const std::vector<Token>& tokens, std::size_t end) {
  static constexpr std::string_view kDone[] = {"了", "过"};
  for (std::size_t i = end; i < tokens.size() && i - end < kWindow && !ends_clause(tokens, i); ++i)
    if (is_one_of(tokens[i].text, kDone)) return true;
  return false;
}

// 凌晨三点, 晚上十二点
bool is_small_hours(const Node& node) {
  constexpr int kMorning = 5;  // o'clock
  if (node.kind != NodeKind::kTime || !node.when->clock || !node.when->part) return false;
  return node.when->clock->hour < kMorning || node.when->clock->hour >= 24;
}

// 我可能凌晨三点才回家, 要凌晨三点才睡: not yet so.
bool is_to_come_or_open(const std::vector<Token>& tokens, const Node& node) {
  static const auto kOpen = lexicon("zh/plans", "not yet so");
  static constexpr std::string_view kStops[] = {"，", ",", "；", "：", ":"};
  std::string clause;
  const auto ends = [&](std::size_t at) { return ends_sentence(tokens, at) || is_one_of(tokens[at].text, kStops); };
  for (std::size_t i = node.begin; i > 0 && node.begin - i < kWindow && !ends(i - 1);) {
    if (is_future_particle(tokens, --i)) return true;
    clause = tokens[i].text + clause;
  }
  return std::any_of(kOpen.begin(), kOpen.end(),
                     [&](std::string_view word) { return clause.find(word) != std::string::npos; });
}

// 凌晨三点才睡, 半夜两点回的家: that a night ended so late is told when it is over; 凌晨三点才能睡 is not over.
bool tells_how_late(const std::vector<Token>& tokens, const Node& node) {
  static const auto kEnds = lexicon("zh/plans", "ends of a night");
  std::string clause;
  for (std::size_t i = node.end; i < tokens.size() && tokens[i].kind == TokenKind::kHan; ++i) clause += tokens[i].text;
  std::string_view rest = clause;
  constexpr std::string_view kOnly = "才", kDone = "的";
  const bool only = rest.starts_with(kOnly);
  if (only) rest.remove_prefix(kOnly.size());
  const std::string_view verb = longest_entry(kEnds, rest);
  if (verb.empty() || is_to_come_or_open(tokens, node)) return false;
  rest.remove_prefix(verb.size());
  return only || rest == kDone || (rest.empty() && verb.find(kDone) != std::string_view::npos);
}

Tense tense_of_words(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  const auto tense = [](const Weight& weight) {
    Tense told;
    told.past = weight.past > 0 && weight.future == 0;
    told.future = weight.future > 0 || (weight.doing > 0 && weight.past == 0);
    return told;
  };
  // What something is to be done by is to come.
  const bool due = (begin > 0 && tokens[begin - 1].text == "by") || tokens[begin].text == "by";
  const bool chinese = tokens[begin].kind == TokenKind::kHan || tokens[end - 1].kind == TokenKind::kHan;
  if (!chinese && !due) {
    const Weight clause = weight_of_clause(tokens, begin, end);
    if (!clause.none()) return tense(clause);
  }
  Weight weight;
  if (due) ++weight.future;
  std::size_t first = begin;
  while (first > 0 && begin - (first - 1) <= kWindow && !ends_sentence(tokens, first - 1))
    weigh(tokens, --first, begin, weight);
  for (std::size_t i = end; i < tokens.size() && i - end < kWindow && !ends_sentence(tokens, i); ++i)
    weigh(tokens, i, begin, weight);
  // A sentence with a verb of its own needs no other: "Did you grill it? I have a class on Thursday."
  if (!weight.none() || weight.present > 0 || first == 0 || !ends_sentence(tokens, first - 1)) return tense(weight);
  const std::size_t before = first - 1;
  for (std::size_t i = before; i > 0 && before - (i - 1) <= kWindow && !ends_sentence(tokens, i - 1);)
    weigh(tokens, --i, begin, weight);
  return tense(weight);
}

}  // namespace

Tense tense_of(const std::vector<Token>& tokens, const Node& node) {
  const std::size_t begin = node.begin, end = node.end;
  Tense tense = tense_of_words(tokens, begin, end);
  const bool chinese = tokens[end - 1].kind == TokenKind::kHan;
  tense.late = chinese && is_small_hours(node) && tells_how_late(tokens, node);
  if (tense.late) tense.past = true, tense.future = false;
  tense.done = chinese && tense.past && is_done_chinese(tokens, end);
  tense.either = !chinese && !tense.past && !tense.future && opens_with_such_verb(tokens, begin);
  return tense;
}

// "The 30th of February" is not a day: neither "the 30th" nor "February" gets a date.
bool is_half_of_no_day(const std::vector<Token>& tokens, const Node& node) {
  if (node.kind != NodeKind::kTime || node.when->has_time()) return false;
  static const auto kMonths = lexicon("en/times", "months");
  const auto fields = [&](unsigned field) { return node.when->fields == field; };
  const auto is_ordinal = [&](std::size_t at) {
    const std::string& text = tokens[at].text;
    return is_digits(tokens, at) || text == "st" || text == "nd" || text == "rd" || text == "th";
  };
  if (fields(kDayField) && is_text(tokens, node.end, "of") && node.end + 1 < tokens.size())
    return is_ordinal(node.end - 1) && is_one_of(tokens[node.end + 1].text, kMonths);
  return fields(kMonthField) && node.begin > 1 && tokens[node.begin - 1].text == "of" && is_ordinal(node.begin - 2);
}

bool is_disturbed(const std::vector<Token>& tokens, const Node& node) {
  // 今日（5月28日）: the number belongs to what follows.
  static constexpr std::string_view kUnits[] = {"月", "日", "号", "年", "点", "时", "分", "周", "天"};
  if (is_digits(tokens, node.end - 1) && node.end < tokens.size() && tokens[node.end].glued &&
      is_one_of(tokens[node.end].text, kUnits))
    return true;
  if (cuts_number(tokens, node.begin, node.end) || closes_tag(tokens, node) || is_name(tokens, node)) return true;
  if (is_half_of_no_day(tokens, node)) return true;
  if (tokens[node.begin].text == "wed" && has_apostrophe(tokens[node.begin])) return true;  // "we'd"
  const Token& first = tokens[node.begin];
  const Token& last = tokens[node.end - 1];
  if (first.kind == TokenKind::kLetters && first.glued && node.begin > 0 &&
      (tokens[node.begin - 1].text == "_" || tokens[node.begin - 1].text == "@")) {
    return true;
  }
  if (last.kind == TokenKind::kHan || first.kind == TokenKind::kHan) return is_chinese_other(tokens, node);
  return false;
}

bool is_called_for(const std::vector<Token>& tokens, const Node& node) {
  if (node.kind != NodeKind::kTime || node.when->clock) return false;
  if (node.begin == 0 && node.end == tokens.size()) return true;
  const bool one = node.end - node.begin == 1;
  const Token& token = tokens[node.begin];
  if (node.when->has_time() || node.when->is_now) return false;
  // "March" within a sentence is the month; at its beginning, or small, it may be the verb. "May" never shows.
  // "I started the year with nothing": a unit that runs.
  static const auto kBegun = lexicon("en/times", "begun and ended");
  if (token.text == "the" && node.when->deictic && node.end - node.begin == 2 && node.begin > 0 &&
      is_one_of(tokens[node.begin - 1].text, kBegun))
    return true;
  if (token.text == "of" && (node.when->fields & kYearField) != 0) return true;
  const bool first = node.begin == 0 || ends_sentence(tokens, node.begin - 1) || is_text(tokens, node.begin - 1, ".");
  if (one && token.kind == TokenKind::kLetters)
    return token.capital && !first && token.text != "may" && token.text != "sun";
  return false;
}

Position position_of(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  static const auto kPrepositions = lexicon("en/times", "prepositions of nouns");
  static const auto kVerbs = lexicon("en/times", "verbs behind a time");
  static constexpr std::string_view kOwn[] = {"on", "in", "at", "during", "around"};
  const std::string& last = tokens[end - 1].text;
  const bool possessive = last == "yesterdays" || last == "todays" || last == "tomorrows" ||
                          (end + 1 < tokens.size() && tokens[end].text == "'" && tokens[end + 1].text == "s");
  if (possessive) return Position::kPossessive;
  if (is_one_of(tokens[begin].text, kOwn)) return Position::kAdverb;
  if (begin > 0 && is_one_of(tokens[begin - 1].text, kPrepositions)) return Position::kNoun;
  const bool opens = begin == 0 || ends_sentence(tokens, begin - 1) || is_text(tokens, begin - 1, ".");
  if (opens && end < tokens.size() && is_one_of(tokens[end].text, kVerbs)) return Position::kNoun;
  return Position::kAdverb;
}

// ---- Times of which the day is unsaid ----

namespace {

constexpr std::size_t kNoteWindow = 16;  // tokens of a sentence that are looked at on either side
constexpr Moment kLeeway = 3 * kHourSeconds;  // parts of the day have no sharp beginning
constexpr int kEarly = 6 * 60;  // minutes: parts that begin before are spoken of on the evening before
constexpr Moment kNear = 12 * kHourSeconds;  // farther away a day would be said

bool is_clause_end(const Token& token) { return token.text == "，" || token.text == "," || ends_sentence(token); }

// What stands around an expression, up to where `ends` says that it ends.
std::string words_around(const std::vector<Token>& tokens, const Node& node, bool (*ends)(const Token&)) {
  std::size_t begin = node.begin, end = node.end;
  while (begin > 0 && node.begin - begin < kNoteWindow && !ends(tokens[begin - 1])) --begin;
  while (end < tokens.size() && end - node.end < kNoteWindow) {
    ++end;
    if (ends(tokens[end - 1])) break;
  }
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += tokens[i].text;
  return text;
}

bool holds(const std::string& text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool is_habit(const std::string& sentence) {
  static const auto kHabits = lexicon("zh/plans", "each time");
  return std::any_of(kHabits.begin(), kHabits.end(),
                     [&](auto word) { return sentence.find(word) != std::string::npos; });
}

// What the clause asks for or intends, whatever else the sentence tells of.
bool plans(const std::vector<Token>& tokens, const Node& node) {
  static const auto kPlans = lexicon("zh/times", "plans");
  return holds(words_around(tokens, node, is_clause_end), kPlans);
}

// 早上好, 一个下午, 整晚: a greeting, a length.
bool is_something_else(const std::vector<Token>& tokens, const Node& node) {
  if (is_text(tokens, node.end, "好") || is_text(tokens, node.end, "安")) return true;
  static const auto kBefore = lexicon("zh/times", "before a length");
  return node.begin > 0 &&
         std::find(std::begin(kBefore), std::end(kBefore), tokens[node.begin - 1].text) != std::end(kBefore);
}

Meaning of_day(Moment day) {
  Meaning meaning;
  meaning.from = day;
  meaning.to = day + kDaySeconds;
  meaning.grain = Grain::kDay;
  return meaning;
}

// 晨间流程, 夜间睡眠: of a kind.
bool is_attributive_part(const std::vector<Token>& tokens, const Node& node) {
  return !node.when->clock && tokens[node.end - 1].text == "间" && node.end < tokens.size() &&
         tokens[node.end].kind == TokenKind::kHan;
}

// 早上别吵, 晚上不要打电话: as often for each morning as for the next one. 晚上别做饭了 is of the day.
bool forbids(const std::vector<Token>& tokens, const Node& node) {
  std::string behind;
  for (std::size_t i = node.end; i < tokens.size() && !is_clause_end(tokens[i]); ++i) behind += tokens[i].text;
  static const auto kNo = lexicon("zh/times", "forbids");
  return behind.find("了") == std::string::npos &&
         std::any_of(std::begin(kNo), std::end(kNo), [&](std::string_view no) { return behind.starts_with(no); });
}

// Of the times that words without a day fit, the one beside the moment of speaking; where none is near, nobody knows.
std::optional<Meaning> part_beside_now(const When& when, Setting setting, const Tense& tense, bool ahead) {
  const Moment today = floor_to(setting.now, Grain::kDay);
  setting.past = tense.past && !ahead;
  if (when.clock) {
    const auto meaning = resolve(when, setting);
    if (!meaning || !meaning->from) return std::nullopt;
    const bool near = std::abs(*meaning->from - setting.now) <= kNear;
    return near || floor_to(*meaning->from, Grain::kDay) == today ? meaning : std::nullopt;
  }
  const Moment from = today + when.part->from * kMinuteSeconds, to = today + when.part->to * kMinuteSeconds;
  if (setting.past && from > setting.now + kLeeway) return std::nullopt;
  if ((tense.future || ahead) && to <= setting.now) {
    if (tense.past || when.part->from >= kEarly || from + kDaySeconds - setting.now > kNear) return std::nullopt;
    setting.now += kDaySeconds;  // 早上要早起, said late in the evening
  }
  return resolve(when, setting);
}

}  // namespace

std::optional<Meaning> meaning_of_part(const std::vector<Token>& tokens, const Node& node, const Setting& setting,
                                       const Tense& tense, const std::optional<NamedDay>& named) {
  const When& when = *node.when;
  if (when.date || !when.part || when.is_stretch() || when.is_now || tokens[node.begin].kind != TokenKind::kHan)
    return std::nullopt;
  if (is_something_else(tokens, node) || is_habit(words_around(tokens, node, ends_sentence))) return std::nullopt;
  if (is_attributive_part(tokens, node)) return std::nullopt;
  if (!when.clock && node.end - node.begin < 2) return std::nullopt;  // 50元/人/晚
  bool same_sentence = named.has_value();
  for (std::size_t i = named ? named->at : node.begin; i < node.begin; ++i)
    same_sentence = same_sentence && !ends_sentence(tokens[i]);
  if (!same_sentence) {
    if (named && named->day != floor_to(setting.now, Grain::kDay)) return std::nullopt;
    if (!when.clock && forbids(tokens, node)) return std::nullopt;
    return part_beside_now(when, setting, tense, !tense.late && plans(tokens, node));
  }
  When dated = when;
  dated.date = only(unit_at(named->day, Grain::kDay));
  dated.fields = kAllFields;
  return resolve(dated, setting);
}

std::optional<Meaning> meaning_of_next_day(const std::vector<Token>& tokens, const Node& node, const Setting& setting,
                                           const Tense& tense, const std::optional<NamedDay>& named) {
  const bool next = node.end - node.begin == 2 && tokens[node.begin + 1].text == "日" &&
                    (tokens[node.begin].text == "次" || tokens[node.begin].text == "翌");
  if (!next || (!named && tense.past)) return std::nullopt;
  return of_day((named ? named->day : floor_to(setting.now, Grain::kDay)) + kDaySeconds);
}

bool tells_habit(const std::vector<Token>& tokens, const Node& node) {
  static const LexiconWords kEnglish = lexicon_words("en/plans", "each time");
  static const auto kChinese = lexicon("zh/plans", "each time");
  std::size_t begin = node.begin, end = node.end;
  const auto ends = [&](std::size_t at) { return is_clause_end(tokens[at]) || ends_sentence(tokens, at); };
  while (begin > 0 && node.begin - begin < kNoteWindow && !ends(begin - 1)) --begin;
  // 周日，我一般…: the comma belongs to the time.
  const std::size_t skipped = end < tokens.size() && !ends_sentence(tokens[end]) && is_clause_end(tokens[end]) ? 1 : 0;
  for (end += skipped; end < tokens.size() && end - node.end < kNoteWindow && !ends(end);) ++end;
  std::string han;
  for (std::size_t i = begin; i < end; ++i) {
    if (i >= node.begin && i < node.end) continue;
    if (tokens[i].kind == TokenKind::kHan) han += tokens[i].text;
    if (kEnglish.contains(tokens[i].text)) return true;
  }
  return std::any_of(kChinese.begin(), kChinese.end(), [&](auto word) { return han.find(word) != std::string::npos; });
}

bool is_gone_weekend(const std::vector<Token>& tokens, const Node& node, const Tense& tense) {
  if (!tense.past || tense.future || is_habit(words_around(tokens, node, ends_sentence))) return false;
  return !is_something_else(tokens, node) && !plans(tokens, node);
}

bool is_coming_weekend(const std::vector<Token>& tokens, const Node& node, const Tense& tense) {
  static const auto kBehind = lexicon("zh/times", "behind a weekend that comes");
  if (node.end < tokens.size() &&
      std::find(std::begin(kBehind), std::end(kBehind), tokens[node.end].text) == std::end(kBehind))
    return false;
  if (is_habit(words_around(tokens, node, ends_sentence)) || is_something_else(tokens, node)) return false;
  static constexpr std::string_view kAsks[] = {"吗", "？", "?", "怎么样", "好不好", "行不行"};
  return plans(tokens, node) || holds(words_around(tokens, node, ends_sentence), kAsks) ||
         (tense.future && !tense.past);
}

}  // namespace weft::timex
