#include "text/time/context.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "text/english_verbs.h"
#include "text/lexicon.h"
#include "text/longest_entry.h"
#include "text/time/names.h"

namespace weft::timex {
namespace {

constexpr std::size_t kWindow = 14;  // tokens of a sentence that are looked at on either side

template <std::size_t N>
bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

constexpr std::string_view kPastVerbs[] = {
    "was",  "were",   "had",   "did",   "didnt",  "wasnt", "werent", "went",  "came",  "saw",    "met",  "said",
    "told", "bought", "took",  "got",   "made",   "gave",  "found",  "began", "left",  "ate",    "ran",  "won",
    "lost", "wrote",  "spoke", "sent",  "felt",   "heard", "slept",  "woke",  "drove", "flew",   "paid", "thought",
    "knew", "became", "held",  "built", "taught", "fell",  "broke",  "spent", "sold",  "caught", "grew"};
constexpr std::string_view kFutureVerbs[] = {"will", "ill",  "well", "shall",  "gonna",  "going",    "wont",
                                             "plan", "lets", "let",  "should", "remind", "schedule", "book"};
// What is arranged is to come, though it was arranged in the past.
constexpr std::string_view kPlans[] = {"booked",    "scheduled",  "planned",     "planning",   "reserved",
                                       "arranged",  "postponed",  "moved",       "invited",    "rescheduled",
                                       "confirmed", "registered", "signed",      "due",        "deadline",
                                       "upcoming",  "tickets",    "reservation", "appointment"};

bool is_past_verb(const Token& token) {
  if (token.kind != TokenKind::kLetters) return false;
  if (is_one_of(token.text, kPastVerbs) || is_past_form(token.text)) return true;
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

bool begins(const std::string& text, std::string_view with) { return text.compare(0, with.size(), with) == 0; }
bool ends(const std::string& text, std::string_view with) {
  return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

template <std::size_t N>
bool begins_with_one(const std::string& text, const std::string_view (&list)[N]) {
  return std::any_of(std::begin(list), std::end(list), [&](auto word) { return begins(text, word); });
}
template <std::size_t N>
bool ends_with_one(const std::string& text, const std::string_view (&list)[N]) {
  return std::any_of(std::begin(list), std::end(list), [&](auto word) { return ends(text, word); });
}

/// 周一、三、五, 周一三五: a timetable.
bool is_weekday_list(const std::vector<Token>& tokens, const Node& node) {
  static constexpr std::string_view kDays[] = {"一", "二", "三", "四", "五", "六", "日"};
  static constexpr std::string_view kUnits[] = {"点", "个", "号", "月", "天", "年", "时", "次",
                                                "人", "本", "楼", "位", "遍", "分", "周", "日"};
  const auto is_day = [&](std::size_t at) { return at < tokens.size() && is_one_of(tokens[at].text, kDays); };
  if (!node.when || node.when->fields != kWeekdayField || !is_day(node.end - 1)) return false;
  if (is_day(node.end)) return is_day(node.end + 1);
  if (!is_text(tokens, node.end, ",") || !is_day(node.end + 1)) return false;
  return node.end + 2 >= tokens.size() || !is_one_of(tokens[node.end + 2].text, kUnits);
}

/// Chinese has no spaces: 三点 may be three points, 三号 a house number, 一点 a little.
bool is_chinese_other(const std::vector<Token>& tokens, const Node& node) {
  // 周一/三/五: a timetable.
  if (node.end < tokens.size() && tokens[node.end].text == "/" && tokens[node.end].glued) return true;
  if (is_weekday_list(tokens, node)) return true;
  static constexpr std::string_view kAfterPoint[] = {
      "建议", "要求", "意见", "看法", "原因", "理由", "好处", "内容", "问题", "说明", "钱",   "水",
      "儿",   "点",   "事",   "启示", "思考", "结论", "不足", "优势", "体会", "心得", "经验", "区别",
      "共识", "想法", "也不", "都不", "都没", "也没", "东西", "时间", "吃的", "希望", "变化", "注意"};
  static constexpr std::string_view kBeforePoint[] = {"这", "那", "几", "有", "第", "以下", "如下", "快", "慢", "早",
                                                      "晚", "多", "少", "好", "大", "小",   "高",   "低", "远", "近",
                                                      "差", "轻", "提", "是", "长", "便宜", "简单", "零"};
  static constexpr std::string_view kAfterNumber[] = {
      "楼", "线", "院", "馆", "厅", "店", "门", "房", "机",   "选手", "球", "桌", "床", "车", "公", "位",     "仓",
      "病", "人", "员", "码", "称", "召", "令", "文", "航站", "出口", "站", "井", "厂", "教", "宿", "会议室", "字"};
  static constexpr std::string_view kAfterDay[] = {"使", "本", "语", "元", "文", "方", "益", "常", "军", "报"};
  const std::string last = tokens[node.end - 1].text;
  const std::string next = around(tokens, node.end, 1, 3);
  const std::string before = node.begin > 0 ? around(tokens, node.begin - 1, -1, 3) : std::string();
  if (ends(before, "第") || ends(before, "聊") || ends(before, "成") || ends(before, "闰")) return true;
  // 七八月: two numbers in a row are neither.
  static constexpr std::string_view kNumbers[] = {"一", "二", "三", "四", "五", "六", "七",
                                                  "八", "九", "十", "两", "几", "百"};
  if (is_one_of(tokens[node.begin].text, kNumbers) && ends_with_one(before, kNumbers)) return true;
  // 天问一号, 解放路三号: a number of the month has a word of time or place before it, or nothing.
  static constexpr std::string_view kBeforeDay[] = {
      "在", "到", "于", "是", "从", "自", "就", "们", "月", "的", "和", "至", "要", "了", "会", "我", "你", "他", "她",
      "定", "约", "年", "周", "前", "后", "初", "底", "这", "等", "请", "给", "去", "来", "也", "都", "才", "由", "改"};
  if (last == "号" && node.end - node.begin <= 3 && !before.empty() && tokens[node.begin].kind == TokenKind::kHan &&
      is_one_of(tokens[node.begin].text, kNumbers) && !ends_with_one(before, kBeforeDay))
    return true;
  // 前门大街30号: a house.
  static constexpr std::string_view kStreets[] = {"路", "街", "巷", "弄", "道", "胡同", "坊", "栋", "幢", "大厦"};
  static constexpr std::string_view kNoStreets[] = {"知道", "报道", "街道", "难道", "渠道", "网路"};
  if (last == "号" && node.end - node.begin == 2 && ends_with_one(before, kStreets) &&
      !ends_with_one(before, kNoStreets))
    return true;
  if (ends(before, "公元前")) return true;
  // 早上起来, 次日早餐: the last character belongs to the next word.
  static constexpr std::string_view kAfterUp[] = {"来", "床", "身", "得", "飞", "跑", "诉"};
  static constexpr std::string_view kMeals[] = {"餐", "饭", "会", "宴", "班", "课", "报", "茶", "霞", "市", "安"};
  if (last == "起" && begins_with_one(next, kAfterUp)) return true;
  if ((last == "早" || last == "晚") && begins_with_one(next, kMeals)) return true;
  // 以后三天 and 之前两周 begin behind the word that 后 and 前 are the end of.
  static constexpr std::string_view kBeforeSide[] = {"以", "之", "然", "最", "先", "往", "落", "背"};
  const std::string& first = tokens[node.begin].text;
  if ((first == "后" || first == "前") && ends_with_one(before, kBeforeSide)) return true;
  // 搬家之后两周: counted from what stands before it, not from now.
  if ((first == "之" || first == "以") && !before.empty()) return true;
  if (last == "点" || last == "时") {
    if (begins_with_one(next, kAfterPoint)) return true;
    const bool alone = node.end - node.begin == 2;
    if (alone && ends_with_one(before, kBeforePoint)) return true;
    const bool one = alone && tokens[node.begin].text == "一";
    static constexpr std::string_view kTimes[] = {"在", "到", "从", "于", "至", "前", "后", "约", "就"};
    if (one && !ends_with_one(before, kTimes) && !(before.empty() && next.empty())) return true;
  }
  if (last == "号" && begins_with_one(next, kAfterNumber)) return true;
  // 3号独立会议室: behind the day of a month stands no noun.
  static constexpr std::string_view kAfterDayNumber[] = {
      "去", "来", "到", "前", "后", "之", "左", "右", "上", "下", "早", "晚", "中", "凌", "我",
      "你", "他", "她", "咱", "就", "要", "会", "是", "有", "开", "交", "出", "回", "的", "那",
      "这", "也", "都", "再", "能", "可", "在", "和", "或", "至", "以", "起", "走", "见", "了",
      "吗", "吧", "呢", "结", "考", "截", "放", "请", "周", "星", "可", "不", "没", "还", "给"};
  const bool bare_day = last == "号" && node.when && (node.when->fields & kMonthField) == 0;
  if (bare_day && !next.empty() && !begins_with_one(next, kAfterDayNumber)) return true;
  if (last == "日" && begins_with_one(next, kAfterDay)) return true;
  static constexpr std::string_view kAfterMiddle[] = {"学", "国", "文", "央", "间", "医", "心", "介", "东", "部", "秋"};
  if (last == "中" && begins_with_one(next, kAfterMiddle)) return true;
  if (last == "天" && (begins(next, "气") || begins(next, "空") || begins(next, "下") || begins(next, "堂") ||
                       begins(next, "使") || begins(next, "真") || begins(next, "然"))) {
    return true;
  }
  if ((last == "月") &&
      (begins(next, "饼") || begins(next, "亮") || begins(next, "球") || begins(next, "票") || begins(next, "薪")))
    return true;
  if (last == "年" &&
      (begins(next, "级") || begins(next, "轻") || begins(next, "龄") || begins(next, "糕") || begins(next, "货"))) {
    return true;
  }
  if (last == "周" && (begins(next, "岁") || begins(next, "年") || begins(next, "围") || begins(next, "边")))
    return true;
  if (node.end - node.begin == 1) {
    // 早, 晚 and 夜 are words of many others; alone they are no time.
    if (last == "早" || last == "晚" || last == "夜") return !(before.empty() && next.empty());
  }
  if (node.end - node.begin == 2 && tokens[node.begin].text == "一") {
    static constexpr std::string_view kBeforeOne[] = {"有", "那", "这", "哪", "同", "某",
                                                      "每", "统", "唯", "万", "专", "单"};
    if (last == "天" || last == "年" || last == "日" || last == "周") return ends_with_one(before, kBeforeOne);
  }
  return false;
}

// What the verbs and particles of some tokens say of time.
struct Weight {
  int past = 0, future = 0, present = 0;
  int doing = 0;  ///< "I'm training for a race": to come, unless what was done is told as well

  bool none() const { return past == 0 && future == 0 && doing == 0; }
};

// "We'll" and "well" are one word to the grammar; the apostrophe tells them apart.
bool has_apostrophe(const Token& token) { return token.end - token.begin > token.text.size(); }

constexpr std::string_view kPresent[] = {"is", "are", "am",     "be",    "s",   "re",
                                         "im", "its", "theyre", "youre", "hes", "shes"};

// "I moved to Lisbon in March" tells of a home; "it moved to Thursday" and "we moved the talk" of what is to come.
bool moves_home(const std::vector<Token>& tokens, std::size_t at, std::size_t time) {
  static constexpr std::string_view kWhere[] = {"to",    "into", "in",   "out",    "here", "there",
                                                "house", "home", "back", "abroad", "away"};
  static constexpr std::string_view kWho[] = {"i",    "ive", "we",   "weve",     "you",  "he",     "she",
                                              "they", "who", "user", "recently", "just", "finally"};
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
  static constexpr std::string_view kNouns[] = {"the", "my",    "our", "your", "his",
                                                "her", "their", "its", "this", "that"};
  // "My sister put the house up": the base form would have an "s".
  bool noun = false;
  for (std::size_t i = who; !noun && i > 0 && who - i < 2 && subject.kind == TokenKind::kLetters; --i)
    if (is_one_of(tokens[i - 1].text, kNouns)) noun = true, who = i - 1;
  if (!is_one_of(subject.text, kSubjects) && !name && !noun) return false;
  if (who == 0) return true;
  static constexpr std::string_view kOpen[] = {"let",     "lets",     "make",   "makes", "help",   "if",
                                               "when",    "whenever", "before", "once",  "until",  "unless",
                                               "whether", "after",    "and",    "dont",  "doesnt", "didnt"};
  const std::string& before = tokens[who - 1].text;
  return !is_auxiliary(before) && !(is_one_of(before, kOpen) && (name || before != "and"));
}

// "Quit on Monday": told, or asked for.
bool opens_with_such_verb(const std::vector<Token>& tokens, std::size_t begin) {
  std::size_t first = begin;
  while (first > 0 && begin - first < kWindow && !ends_sentence(tokens, first - 1)) --first;
  // The others are mostly asked for: "set a reminder for Monday".
  static constexpr std::string_view kTold[] = {"quit", "hit", "hurt", "cost", "split", "beat", "burst", "upset"};
  return first < begin && is_one_of(tokens[first].text, kTold);
}

// `time` is where the expression begins whose tense is looked for.
bool is_future_word(const std::vector<Token>& tokens, std::size_t at, std::size_t time) {
  const Token& token = tokens[at];
  if (moves_home(tokens, at, time)) return false;
  if (token.text == "signed" && !is_text(tokens, at + 1, "up")) return false;  // a lease, other than for a race
  if (token.text == "ill" || token.text == "well") return has_apostrophe(token);
  static constexpr std::string_view kDeterminers[] = {"the", "a",   "an",    "my",   "our", "your",
                                                      "his", "her", "their", "this", "that"};
  const bool noun = at > 0 && is_one_of(tokens[at - 1].text, kDeterminers);  // "I read the book"
  if (noun && (token.text == "book" || token.text == "let")) return false;
  return is_one_of(token.text, kFutureVerbs) || is_one_of(token.text, kPlans);
}

// "I'm training for a race", "we're thinking of going".
bool is_doing(const std::vector<Token>& tokens, std::size_t at) {
  const Token& token = tokens[at];
  if (at == 0 || token.kind != TokenKind::kLetters || token.text.size() < 6 || !token.text.ends_with("ing"))
    return false;
  const Token& before = tokens[at - 1];
  return is_one_of(before.text, kPresent) || (before.text == "were" && has_apostrophe(before));
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
  const bool state = at > 0 && is_one_of(tokens[at - 1].text, kPresent);  // "is closed" tells of no past
  static constexpr std::string_view kFinite[] = {"is",  "are",  "am",   "im", "its", "have",
                                                 "has", "need", "want", "do", "does"};
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
  static constexpr std::string_view kMonths[] = {
      "january",  "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
      "december", "jan",      "feb",   "apr",   "aug", "sept", "sep",  "oct",    "nov",       "dec"};
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
  static constexpr std::string_view kBegun[] = {"start", "started", "starting", "begin",    "began", "beginning", "end",
                                                "ended", "ending",  "finish",   "finished", "close", "closed"};
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
  static constexpr std::string_view kPrepositions[] = {
      "for",   "from", "of",      "to",      "by",  "until", "till", "since", "before", "after",
      "about", "than", "through", "between", "and", "on",    "in",   "at",    "the"};
  static constexpr std::string_view kVerbs[] = {"is",  "was",  "will",  "works",  "would", "has",
                                                "had", "isnt", "wasnt", "sounds", "seems"};
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

}  // namespace weft::timex
