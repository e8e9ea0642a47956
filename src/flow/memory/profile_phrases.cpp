// The tables of the grammar. Verbs of state and the nouns that people keep about each other; their forms and negations
// are made here, so that a row is a verb and not ten phrases.
#include "flow/memory/profile_phrases.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft {
namespace {

using View = std::string_view;

struct Verb {
  View third, base, gerund;  // lives, live, living
  View rest;                 // in
  View attribute;
  bool single;
  bool negative = false;  // says by itself that it is not so: dislikes
};

constexpr std::array kVerbs{
    Verb{"lives", "live", "living", "in", "residence", true},
    Verb{"resides", "reside", "residing", "in", "residence", true},
    Verb{"works", "work", "working", "as", "job", true},
    Verb{"works", "work", "working", "at", "employer", true},
    Verb{"works", "work", "working", "for", "employer", true},
    Verb{"studies", "study", "studying", "at", "school", true},
    Verb{"attends", "attend", "attending", "", "school", true},
    Verb{"likes", "like", "liking", "", "likes", false},
    Verb{"loves", "love", "loving", "", "likes", false},
    Verb{"enjoys", "enjoy", "enjoying", "", "likes", false},
    Verb{"adores", "adore", "adoring", "", "likes", false},
    Verb{"dislikes", "dislike", "disliking", "", "likes", false, true},
    Verb{"hates", "hate", "hating", "", "likes", false, true},
    Verb{"detests", "detest", "detesting", "", "likes", false, true},
    Verb{"prefers", "prefer", "preferring", "", "prefers", false},
    Verb{"speaks", "speak", "speaking", "", "languages", false},
    Verb{"eats", "eat", "eating", "", "eats", false},
    Verb{"drinks", "drink", "drinking", "", "drinks", false},
    Verb{"plays", "play", "playing", "", "plays", false},
    Verb{"uses", "use", "using", "", "uses", false},
    Verb{"owns", "own", "owning", "", "owns", false},
    Verb{"comes", "come", "coming", "from", "origin", false},
    Verb{"works", "work", "working", "in", "works in", false},
    Verb{"works", "work", "working", "from", "workplace", true},
    Verb{"teaches", "teach", "teaching", "", "teaches", false},
    Verb{"drives", "drive", "driving", "", "vehicle", true},
    Verb{"rides", "ride", "riding", "", "rides", false},
    Verb{"commutes", "commute", "commuting", "by", "commute", true},
    Verb{"wakes", "wake", "waking", "up at", "waking time", true},
    Verb{"gets", "get", "getting", "up at", "waking time", true},
    Verb{"goes", "go", "going", "to bed at", "bedtime", true},
    Verb{"starts", "start", "starting", "work at", "start of work", true},
    Verb{"begins", "begin", "beginning", "work at", "start of work", true},
    Verb{"finishes", "finish", "finishing", "work at", "end of work", true},
    Verb{"banks", "bank", "banking", "with", "bank", true},
    Verb{"lives", "live", "living", "with", "lives with", true},
    Verb{"supports", "support", "supporting", "", "supports", false},
    Verb{"collects", "collect", "collecting", "", "collects", false},
    Verb{"practises", "practise", "practising", "", "practises", false},
    Verb{"practices", "practice", "practicing", "", "practises", false},
    Verb{"smokes", "smoke", "smoking", "", "smokes", false},
    Verb{"wears", "wear", "wearing", "size", "size", true},
};

// After "is", with "not" or "no longer" between.
struct State {
  View words, attribute;
  bool single;
};
constexpr std::array kStates{
    State{"living in", "residence", true},
    State{"based in", "residence", true},
    State{"working as", "job", true},
    State{"employed as", "job", true},
    State{"working at", "employer", true},
    State{"working for", "employer", true},
    State{"employed by", "employer", true},
    State{"employed at", "employer", true},
    State{"studying at", "school", true},
    State{"allergic to", "allergies", false},
    State{"fond of", "likes", false},
    State{"a fan of", "likes", false},
    State{"interested in", "likes", false},
    State{"fluent in", "languages", false},
    State{"learning", "learns", false},
    State{"training for", "training for", true},
    State{"preparing for", "preparing for", true},
    State{"saving for", "saving for", true},
    State{"saving up for", "saving for", true},
    State{"moving to", "moving to", true},
    State{"staying in", "staying in", true},
    State{"staying at", "staying in", true},
    State{"enrolled at", "school", true},
    State{"enrolled in", "studies", true},
    State{"studying", "studies", true},
    State{"majoring in", "studies", true},
    State{"dating", "partner", true},
    State{"in a relationship with", "partner", true},
    State{"living with", "lives with", true},
    State{"afraid of", "fears", false},
    State{"scared of", "fears", false},
    State{"responsible for", "responsible for", false},
    State{"into", "likes", false},
    State{"intolerant to", "allergies", false},
    State{"married to", "partner", true},
    State{"engaged to", "partner", true},
    State{"called", "names", false},
    State{"known as", "names", false},
    State{"from", "origin", false},
    State{"a", "is", false},
    State{"an", "is", false},
};

// Said in the past of what holds since.
constexpr std::array kSince{
    State{"moved to", "residence", true},
    State{"has moved to", "residence", true},
    State{"relocated to", "residence", true},
    State{"has relocated to", "residence", true},
    State{"was born on", "birthday", true},
    State{"was born in", "origin", false},
    State{"goes by", "names", false},
    State{"moved back to", "residence", true},
    State{"has moved back to", "residence", true},
    State{"settled in", "residence", true},
    State{"has settled in", "residence", true},
    State{"moved in with", "lives with", true},
    State{"got a job at", "employer", true},
    State{"got a new job at", "employer", true},
    State{"started at", "employer", true},
    State{"has started at", "employer", true},
    State{"started working at", "employer", true},
    State{"started working for", "employer", true},
    State{"has started working at", "employer", true},
    State{"has started working for", "employer", true},
    State{"was hired by", "employer", true},
    State{"got hired by", "employer", true},
    State{"transferred to", "school", true},
    State{"got hired as", "job", true},
    State{"was hired as", "job", true},
    State{"has been hired as", "job", true},
    State{"got a job as", "job", true},
    State{"got a new job as", "job", true},
    State{"started working as", "job", true},
    State{"has started working as", "job", true},
    State{"retrained as", "job", true},
    State{"was promoted to", "job", true},
    State{"got promoted to", "job", true},
    State{"got engaged to", "partner", true},
    State{"got married to", "partner", true},
    State{"married", "partner", true},
    State{"started learning", "learns", false},
    State{"has started learning", "learns", false},
    State{"took up", "practises", false},
    State{"has taken up", "practises", false},
    State{"started playing", "plays", false},
    State{"switched to", "uses", false},
    State{"has switched to", "uses", false},
};

// Says that something is over, whatever it was: it ends any statement with that value.
constexpr std::array kOver{
    State{"gave up", kAnyAttribute, false},
    State{"given up", kAnyAttribute, false},
    State{"quit", kAnyAttribute, false},
    State{"left", kAnyAttribute, false},
    State{"stopped", kAnyAttribute, false},
    State{"dropped", kAnyAttribute, false},
    State{"sold", kAnyAttribute, false},
    State{"broke up with", kAnyAttribute, false},
    State{"divorced", kAnyAttribute, false},
    State{"switched from", kAnyAttribute, false},
    State{"moved away from", kAnyAttribute, false},
    State{"moved out of", kAnyAttribute, false},
};

constexpr std::array<std::pair<View, View>, 26> kOwned{{{"birthday", "birthday"},
                                                        {"date of birth", "birthday"},
                                                        {"email", "email"},
                                                        {"e-mail", "email"},
                                                        {"email address", "email"},
                                                        {"phone", "phone"},
                                                        {"phone number", "phone"},
                                                        {"address", "address"},
                                                        {"age", "age"},
                                                        {"job", "job"},
                                                        {"occupation", "job"},
                                                        {"profession", "job"},
                                                        {"employer", "employer"},
                                                        {"school", "school"},
                                                        {"hometown", "hometown"},
                                                        {"home town", "hometown"},
                                                        {"name", "name"},
                                                        {"nickname", "nickname"},
                                                        {"time zone", "time zone"},
                                                        {"timezone", "time zone"},
                                                        {"native language", "native language"},
                                                        {"mother tongue", "native language"},
                                                        {"wife", "partner"},
                                                        {"husband", "partner"},
                                                        {"partner", "partner"},
                                                        {"place of residence", "residence"}}};

std::string with_rest(std::string words, View rest) { return rest.empty() ? words : words + " " + std::string(rest); }

using EnglishTable = std::unordered_map<std::string, std::vector<EnglishPhrase>>;

void add(EnglishTable& table, std::string words, View attribute, bool single, Polarity polarity) {
  const std::string first = words.substr(0, words.find(' '));
  table[first].push_back({std::move(words), {std::string(attribute), single, polarity}});
}

EnglishTable english_table() {
  EnglishTable table;
  for (const Verb& verb : kVerbs) {
    const Polarity yes = verb.negative ? Polarity::kNo : Polarity::kYes;
    const Polarity no = verb.negative ? Polarity::kYes : Polarity::kNo;
    const std::string base(verb.base);
    add(table, with_rest(std::string(verb.third), verb.rest), verb.attribute, verb.single, yes);
    add(table, with_rest("no longer " + std::string(verb.third), verb.rest), verb.attribute, verb.single,
        Polarity::kNoLonger);
    add(table, with_rest("stopped " + std::string(verb.gerund), verb.rest), verb.attribute, verb.single,
        Polarity::kNoLonger);
    // "does not dislike" is not "likes": it only takes the dislike back.
    for (const View negation : {"does not ", "doesn't "}) {
      add(table, with_rest(std::string(negation) + base, verb.rest), verb.attribute, verb.single,
          verb.negative ? Polarity::kNoLonger : no);
    }
  }
  for (const State& state : kStates) {
    const std::string words(state.words);
    add(table, "is " + words, state.attribute, state.single, Polarity::kYes);
    for (const View negation : {"is not ", "isn't "}) {
      add(table, std::string(negation) + words, state.attribute, state.single, Polarity::kNo);
    }
    add(table, "is no longer " + words, state.attribute, state.single, Polarity::kNoLonger);
  }
  for (const State& since : kSince) {
    add(table, std::string(since.words), since.attribute, since.single, Polarity::kYes);
  }
  for (const View words : {"cannot stand", "can't stand"}) {
    add(table, std::string(words), "likes", false, Polarity::kNo);
  }
  for (const State& over : kOver) {
    add(table, std::string(over.words), over.attribute, over.single, Polarity::kNoLonger);
    add(table, "has " + std::string(over.words), over.attribute, over.single, Polarity::kNoLonger);
  }
  // "used to live in": what was so, and is over.
  for (const Verb& verb : kVerbs)
    add(table, with_rest("used to " + std::string(verb.base), verb.rest), verb.attribute, verb.single,
        Polarity::kNoLonger);
  return table;
}

struct ChineseVerb {
  View words;  // several, one space between
  View attribute;
  bool single;
  Polarity polarity;
};

constexpr auto kYes = Polarity::kYes, kNo = Polarity::kNo, kNoLonger = Polarity::kNoLonger;

constexpr std::array kChineseVerbs{
    ChineseVerb{"住在 居住在 居住于 定居在 定居于 搬到了 搬到 搬去了 搬去 搬家到了 搬家到 现居 搬回了 搬回 搬进了 搬进 "
                "租住在 家住 家在",
                "residence", true, kYes},
    ChineseVerb{"不住在", "residence", true, kNo},
    ChineseVerb{"不再住在 不再居住在", "residence", true, kNoLonger},
    ChineseVerb{"职业是 职业为 的工作是 从事 担任", "job", true, kYes},
    ChineseVerb{"升任 升为", "job", true, kYes},
    ChineseVerb{"不再担任 不再从事", "job", true, kNoLonger},
    ChineseVerb{"就职于 任职于 供职于 入职了 入职 跳槽到了 跳槽到 跳槽去了 跳槽去 加入了", "employer", true, kYes},
    ChineseVerb{"晋升为 升任 升为 成为了 成为 转行做 改行做", "is", false, kYes},
    ChineseVerb{"离开了 放弃了 戒了 戒掉了 戒掉 不再玩 不再学 不再养 卖掉了 卖了 退出了", kAnyAttribute, false,
                kNoLonger},
    ChineseVerb{"就读于 考上了 考上 转学到了 转学到", "school", true, kYes},
    ChineseVerb{"嫁给了 娶了", "partner", true, kYes},
    ChineseVerb{"养了 养着 领养了 收养了", "has", false, kYes},
    ChineseVerb{"改用了 改用 开始用", "uses", false, kYes},
    ChineseVerb{"开的是 现在开", "vehicle", true, kYes},
    ChineseVerb{"在学 开始学 改学", "learns", false, kYes},
    ChineseVerb{"备考", "preparing for", true, kYes},
    ChineseVerb{"以前住在 曾住在 曾经住在 之前住在 原来住在", "residence", true, kNoLonger},
    ChineseVerb{"生日是 生日为 生日在", "birthday", true, kYes},
    ChineseVerb{"出生于 出生在 来自", "origin", false, kYes},
    ChineseVerb{"喜欢吃 喜欢喝 喜欢 喜爱 热爱 酷爱 钟爱 爱吃 爱喝 爱看 爱玩", "likes", false, kYes},
    ChineseVerb{"不喜欢吃 不喜欢喝 不喜欢 不太喜欢 不爱吃 不爱喝 讨厌 厌恶", "likes", false, kNo},
    ChineseVerb{"不再喜欢 不再爱吃 不再爱喝 不再讨厌", "likes", false, kNoLonger},
    ChineseVerb{"更喜欢 偏好 偏爱 倾向于", "prefers", false, kYes},
    ChineseVerb{"会说 会讲", "languages", false, kYes},
    ChineseVerb{"不会说 不会讲", "languages", false, kNo},
    ChineseVerb{"不吃", "eats", false, kNo},
    ChineseVerb{"不喝", "drinks", false, kNo},
    ChineseVerb{"习惯用 习惯使用", "uses", false, kYes},
    ChineseVerb{"不再使用", "uses", false, kNoLonger},
    ChineseVerb{"正在学习 正在学 在学习", "learns", false, kYes},
    ChineseVerb{"是一名 是一位 是一个 是个 是名 是位", "is", false, kYes},
    ChineseVerb{"不是一名 不是一位 不是个", "is", false, kNo},
    ChineseVerb{"名叫 叫做 的昵称是 外号是", "names", false, kYes},
    ChineseVerb{"的名字是", "name", true, kYes},
    ChineseVerb{"的邮箱是 的电子邮箱是", "email", true, kYes},
    ChineseVerb{"的电话是 的电话号码是 的手机号是", "phone", true, kYes},
    ChineseVerb{"的地址是", "address", true, kYes},
    ChineseVerb{"的年龄是", "age", true, kYes},
    ChineseVerb{"的时区是", "time zone", true, kYes},
    ChineseVerb{"的家乡是 的老家是", "hometown", true, kYes},
    ChineseVerb{"的母语是", "native language", true, kYes},
    ChineseVerb{"的妻子是 的丈夫是 的伴侣是", "partner", true, kYes},
};

std::vector<View> split(View list) {
  std::vector<View> words;
  while (!list.empty()) {
    const auto space = list.find(' ');
    words.push_back(list.substr(0, space));
    list = space == View::npos ? View() : list.substr(space + 1);
  }
  return words;
}

bool in_list(View list, View word) {
  const auto words = split(list);
  return !word.empty() && std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::span<const EnglishPhrase> english_phrases(std::string_view first_word) {
  static const EnglishTable table = english_table();
  const auto at = table.find(std::string(first_word));
  return at == table.end() ? std::span<const EnglishPhrase>() : std::span<const EnglishPhrase>(at->second);
}

std::string owned_attribute(std::string_view noun) {
  for (const View favourite : {"favourite ", "favorite "}) {
    if (noun.starts_with(favourite)) return "favourite " + value_key(noun.substr(favourite.size()));
  }
  const auto at = std::find_if(kOwned.begin(), kOwned.end(), [&](const auto& pair) { return pair.first == noun; });
  return at == kOwned.end() ? std::string() : std::string(at->second);
}

std::span<const ChinesePhrase> chinese_phrases() {
  static const std::vector<ChinesePhrase> phrases = [] {
    std::vector<ChinesePhrase> made;
    for (const ChineseVerb& verb : kChineseVerbs) {
      for (const View words : split(verb.words)) {
        made.push_back({std::string(words), {std::string(verb.attribute), verb.single, verb.polarity}});
      }
    }
    return made;
  }();
  return phrases;
}

std::span<const ChineseFrame> chinese_frames() {
  static const std::vector<ChineseFrame> frames{
      {"不再对", "过敏", {"allergies", false, kNoLonger}},
      {"对", "不再过敏", {"allergies", false, kNoLonger}},
      {"对", "不过敏", {"allergies", false, kNo}},
      {"对", "过敏", {"allergies", false, kYes}},
      {"不再在", "工作", {"employer", true, kNoLonger}},
      {"在", "工作", {"employer", true, kYes}},
      {"在", "上班", {"employer", true, kYes}},
      {"在", "读书", {"school", true, kYes}},
      {"在", "上学", {"school", true, kYes}},
      {"今年", "岁", {"age", true, kYes}},
      {"已经", "岁", {"age", true, kYes}},
      {"在", "任职", {"employer", true, kYes}},
      {"在", "实习", {"employer", true, kYes}},
      {"从", "离职", {"employer", true, kNoLonger}},
      {"从", "辞职", {"employer", true, kNoLonger}},
      {"在", "读研", {"school", true, kYes}},
      {"在", "读博", {"school", true, kYes}},
      {"在", "上大学", {"school", true, kYes}},
      {"和", "结婚", {"partner", true, kYes}},
      {"跟", "结婚", {"partner", true, kYes}},
      {"和", "订婚", {"partner", true, kYes}},
      {"和", "在一起", {"partner", true, kYes}},
      {"和", "分手", {"partner", true, kNoLonger}},
      {"跟", "分手", {"partner", true, kNoLonger}},
      {"和", "离婚", {"partner", true, kNoLonger}},
      {"每天", "起床", {"waking time", true, kYes}},
      {"每天", "睡觉", {"bedtime", true, kYes}},
      {"每天", "上班", {"start of work", true, kYes}},
      {"每天", "下班", {"end of work", true, kYes}},
  };
  return frames;
}

bool is_unsure_english(std::string_view word) {
  return in_list(
      "if when whether maybe perhaps possibly probably might may would could should once formerly previously "
      "hopes "
      "wants wishes plans hoping wanting planning pretends says said claims thinks believes dreams imagine suppose not "
      "never nobody unless before",
      word);
}

bool is_unsure_chinese(std::string_view before_verb) {
  for (const View word : {"如果", "假如", "要是", "可能", "也许", "大概", "以前",   "曾",   "之前", "过去", "小时候",
                          "想",   "打算", "计划", "希望", "准备", "是否", "是不是", "听说", "据说", "以为", "觉得",
                          "认为", "说",   "没有", "从不", "应该", "需要", "建议",   "确保", "加上", "感谢"}) {
    if (before_verb.find(word) != View::npos) return true;
  }
  return false;
}

bool is_adverb_english(std::string_view word) {
  return in_list(
      "now currently really also still always usually too much today nowadays absolutely especially mostly and "
      "but very lot lots here again just recently finally already newly lately",
      word);
}

std::span<const std::string_view> adverbs_chinese() {
  static constexpr std::array<View, 26> kAdverbs{"刚刚", "刚",   "终于", "最近", "现在", "目前", "一直", "非常", "特别",
                                                 "十分", "平时", "已经", "已",   "很",   "也",   "都",   "还",   "最",
                                                 "就",   "的",   "则",   "更",   "真的", "比较", "如今", "而且"};
  return kAdverbs;
}

bool is_no_name_english(std::string_view subject) {
  if (subject == "the user" || subject == "the group" || subject.starts_with("the user's ")) return false;
  const auto first = subject.substr(0, subject.find(' '));
  return in_list(
             "a an the this that these those each every my your his her its our their all some any i you we he she it "
             "they there here below above which what who i'm i've i'd you're we're it's that's there's",
             first) ||
         subject.find_first_of("*`#[]{}<>|") != View::npos;
}

bool is_no_name_chinese(std::string_view subject) {
  for (const View word : {"我", "你", "您", "他", "她", "它", "这", "那", "其", "大家", "有人", "谁"}) {
    if (subject.starts_with(word) || subject.ends_with(word)) return true;
  }
  return subject.find_first_of("*`#[]{}<>|:") != View::npos;
}

bool is_pronoun_english(std::string_view word) { return in_list("he she they it who this that", word); }
bool is_pronoun_chinese(std::string_view word) { return in_list("他 她 它 他们 她们 并且 并 但 但是 同时", word); }

bool ends_value_english(std::string_view word) {
  return in_list("because since although though while when which who whose where after before until but so", word);
}

}  // namespace weft
