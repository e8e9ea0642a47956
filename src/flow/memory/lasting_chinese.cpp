#include <algorithm>
#include <array>

#include "flow/memory/lasting.h"
#include "flow/memory/profile_phrases.h"
#include "flow/memory/statement_kinds.h"
#include "flow/memory/statement_readers.h"

namespace weft {
namespace {

using View = std::string_view;

template <std::size_t N>
View begins_with(View text, const std::array<View, N>& words) {
  View best;
  for (const View word : words)
    if (text.starts_with(word) && word.size() > best.size()) best = word;
  return best;
}

template <std::size_t N>
bool has_any(View text, const std::array<View, N>& words) {
  return std::any_of(words.begin(), words.end(), [&](View word) { return text.find(word) != View::npos; });
}

// What goes on in somebody's head, or in the talk itself.
constexpr auto kInner = std::to_array<View>(
    {"觉得",   "想知道", "想问",     "想请",   "想听",   "想了解", "想看", "想确认", "想和你",  "想跟你",   "想聊",
     "认为",   "感觉",   "感到",     "明白",   "知道",   "理解",   "需要", "希望",   "发现",    "担心",     "记下",
     "同意",   "期待",   "相信",     "猜",     "怕",     "好奇",   "建议", "意识到", "在想",    "在考虑",   "注意到",
     "问",     "说",     "听",       "看到",   "看了",   "懂",     "清楚", "确认",   "更",      "也这么",   "先",
     "再",     "这就",   "该",       "应该",   "能",     "可以",   "试试", "补充",   "是说",    "指的",     "的意思",
     "是想",   "只是",   "不想",     "想要",   "想把",   "想先",   "想",   "查",     "接下来",  "终于明白", "不确定",
     "不知道", "不太",   "一直觉得", "总感觉", "总觉得", "甚至",   "有时", "不需要", "其实就是"});

// Before a verb: they change nothing of what it tells.
constexpr auto kAdverbs = std::to_array<View>(
    {"也",   "还",   "都",   "就",   "又",   "已经", "已",     "刚刚", "刚",   "才",     "正在", "正",   "一直",
     "主要", "目前", "现在", "最近", "今天", "昨天", "前天",   "昨晚", "今晚", "今早",   "早上", "上午", "中午",
     "下午", "晚上", "明天", "后天", "这次", "上周", "上个月", "去年", "今年", "平时",   "确实", "其实", "本身",
     "自己", "终于", "特别", "非常", "很",   "比较", "真的",   "从小", "以前", "曾经",   "早就", "马上", "准时",
     "顺便", "个人", "一般", "通常", "大概", "下周", "下个月", "明年", "周末", "这周末", "每次"});

// What lasts by itself: habits, tastes, intentions, standing.
constexpr auto kLasting = std::to_array<View>(
    {"在研究", "研究", "叫",     "最喜欢",   "最爱",   "更喜欢", "更爱",     "受不了",   "名下有",   "攒",
     "在攒",   "失眠", "月收入", "年收入",   "收入",   "预算",   "没有兄弟", "没有姐妹", "没有孩子", "没孩子",
     "吃素",   "报了", "出生",   "戒",       "不再",   "会说",   "会弹",     "会开",     "会做",     "以前",
     "曾经",   "曾",   "打算",   "计划",     "准备",   "决定",   "决心",     "要去",     "将要",     "将在",
     "将去",   "想买", "想学",   "想换",     "想当",   "想成为", "想考",     "喜欢",     "不喜欢",   "爱吃",
     "爱喝",   "爱看", "讨厌",   "习惯",     "不习惯", "每天",   "每周",     "每个月",   "每年",     "每晚",
     "经常",   "常去", "常常",   "时常",     "在学",   "在做",   "在准备",   "在备考",   "在练",     "在写",
     "在读",   "在用", "用的是", "用的都是", "住",     "开车",   "属于",     "负责",     "从事",     "就职",
     "就读",   "毕业", "来自",   "出生",     "生于",   "信奉",   "擅长",     "不会",     "从不",     "从来不",
     "从来没", "不吃", "不喝",   "不抽",     "不开",   "没结婚", "没有孩子", "热爱",     "痴迷",     "沉迷",
     "收藏",   "养了", "养着",   "学了",     "做了",   "练了",   "教",       "攻读",     "追求",     "注重",
     "坚持",   "通勤", "规划",   "在规划",   "在构思", "约了",   "预约了",   "预订了",   "订了",     "报名了",
     "要考",   "要搬", "要结婚", "要生",     "要参加", "要启动", "要开始",   "要上"});

// Done once and for all.
constexpr auto kDone = std::to_array<View>(
    {"购买", "摔",   "断",   "坏",   "上大学", "上小学", "上初中", "上高中", "买",   "入手",   "搬",   "换",   "卖",
     "毕业", "结婚", "离婚", "考",   "报名",   "参加",   "完成",   "辞职",   "入职", "晋升",   "升",   "加入", "拿到",
     "获得", "预约", "订",   "定",   "敲定",   "开始",   "去",     "看完",   "读完", "拍",     "见",   "遇到", "遇见",
     "体验", "赎回", "减持", "投资", "办",     "领养",   "养",     "生",     "结束", "整理完", "分享", "设定", "制定",
     "约定", "发布", "提交", "做",   "练",     "跑",     "吃",     "注册",   "下载", "开通",   "签",   "通过", "赢",
     "输",   "丢",   "修",   "装修", "学",     "写",     "搬到",   "离开",   "回",   "陪",     "组织", "举办", "发给",
     "手术", "住院", "退休", "失业", "分手",   "认识",   "交",     "存",     "还清"});

constexpr auto kTalk =
    std::to_array<View>({"并且", "老规矩", "好像", "试试", "看看", "一下", "心里",   "问题",   "疑问", "疑惑", "有道理",
                         "启发", "收获",   "帮助", "有用", "点子", "思路", "建议",   "方向",   "信心", "把握", "头绪",
                         "印象", "困惑",   "这个", "这些", "那个", "想法", "感触",   "机会",   "不安", "你",   "您",
                         "怎么", "什么",   "是否", "吗",   "如何", "哪",   "是不是", "能不能", "可以"});

// Parts of the body and what ails them.
constexpr auto kBody =
    std::to_array<View>({"膝盖", "腰", "背", "脚踝", "喉咙", "鼻子", "头",   "胃",   "牙",   "眼睛", "肩",
                         "颈",   "手", "腿", "血压", "血糖", "体重", "嗓子", "肚子", "心脏", "皮肤"});
constexpr auto kAils = std::to_array<View>({"疼",   "痛", "酸",   "肿", "紧", "堵", "不舒服", "过敏", "高",   "低",
                                            "受伤", "扭", "发炎", "干", "涨", "痒", "骨折",   "kg",   "公斤", "斤"});

constexpr auto kKin = std::to_array<View>(
    {"爸妈", "父母", "爸爸", "妈妈", "爸",   "妈",   "父亲", "母亲", "妹妹",   "弟弟",   "哥哥", "姐姐", "妹",   "姐",
     "哥",   "弟",   "老婆", "老公", "妻子", "丈夫", "太太", "先生", "女朋友", "男朋友", "女友", "男友", "女儿", "儿子",
     "孩子", "爷爷", "奶奶", "外公", "外婆", "姥姥", "姥爷", "叔叔", "阿姨",   "舅舅",   "姑姑", "表哥", "表姐", "表弟",
     "表妹", "堂哥", "同事", "室友", "同学", "老板", "领导", "家人", "家里人", "朋友",   "猫",   "狗"});

// "周末", "2月": when it is.
View without_time(View text) {
  const auto timed = split_at_time(text);
  if (!timed || !timed->before.empty()) return text;
  return text.substr(static_cast<std::size_t>(timed->time.data() - text.data()) + timed->time.size());
}

View without_adverbs(View text) {
  if (const View timeless = trim_words(without_time(text), " \t，,");
      timeless.size() < text.size() && !timeless.empty())
    text = timeless;
  for (View word = begins_with(text, kAdverbs); !word.empty(); word = begins_with(text, kAdverbs)) {
    // 准备, 每天: what only begins like an adverb.
    if (begins_with(text, kLasting).size() >= word.size()) break;
    text.remove_prefix(word.size());
    text = trim_words(text, " \t，,");
  }
  const View timeless = trim_words(without_time(text), " \t，,");
  return timeless.size() < text.size() && !timeless.empty() ? without_adverbs(timeless) : text;
}

// 在家做了, 和他约定了: with whom, where and by what stand before the verb.
bool has_preposition(View text) {
  return !begins_with(text, std::to_array<View>({"在", "从", "和", "跟", "与", "陪", "为", "把自己", "给", "用", "对",
                                                 "去", "出门", "一起"}))
              .empty();
}

bool marks_done(View behind, bool just) {
  if (behind.starts_with("不") || behind.starts_with("得")) return false;  // 去不了
  constexpr std::size_t kNear = 12;
  const View near = behind.substr(0, kNear);
  return just || near.find("了") != View::npos || near.find("过") != View::npos || near.find("完") != View::npos ||
         behind.ends_with("了");
}

// 买了, 参加过, 刚买: done.
bool is_done(View text, bool just) {
  const View verb = begins_with(text, kDone);
  if (!verb.empty()) return marks_done(text.substr(verb.size()), just);
  if (!has_preposition(text)) return false;
  for (const View one : kDone) {
    const auto at = text.find(one);
    if (at != View::npos && marks_done(text.substr(at + one.size()), false)) return true;
  }
  return false;
}

bool has_thing(View text) {
  constexpr View kHave = "有";
  constexpr std::size_t kNear = 12;
  if (!text.starts_with(kHave)) return false;
  const View what = text.substr(kHave.size());
  // 有两套房, 有一个妹妹, 有锻炼习惯, 有高血压; not 有一句话需要翻译.
  if (text.find("需要") != View::npos || text.find("要") != View::npos) return false;
  const bool lasting =
      has_any(what, std::to_array<View>({"习惯", "经验", "病", "血压", "血糖", "过敏", "哮喘", "症", "孩子", "兄弟",
                                         "姐妹", "妹妹", "弟弟", "哥哥", "姐姐", "猫", "狗", "女儿", "儿子"}));
  const bool counted = has_any(
      what.substr(0, kNear), std::to_array<View>({"套", "辆", "台", "只", "条", "栋", "间", "家", "头", "把", "帐篷"}));
  return lasting || counted || has_any(what, std::to_array<View>({"帐篷", "车", "房"}));
}

// 是护士, 是ENTJ; not 是这样的.
bool is_something(View text) {
  for (const View is : {"是一名", "是一个", "是个", "是一位", "是", "作为"}) {
    if (!text.starts_with(is)) continue;
    const View what = text.substr(is.size());
    constexpr std::size_t kLongest = 36;
    for (const View no : {"想", "说", "这", "那", "的", "因为", "为了", "不", "在", "怎", "指", "通过", "用", "从"})
      if (what.starts_with(no)) return false;
    return !what.empty() && what.size() <= kLongest && !what.ends_with("的");
  }
  return false;
}

// 毕业, 去世: whoever tells of it tells that it was so, or when it will be.
constexpr auto kTurns = std::to_array<View>(
    {"晋升", "拉伤", "扭伤", "骨折", "受伤", "毕业", "退休", "结婚", "离婚", "订婚", "出生", "入职", "离职", "辞职",
     "失业", "分手", "去世", "过世", "搬家", "升职", "考上", "怀孕", "住院", "长大", "戒烟", "戒酒", "转行", "创业"});

// 一天吃两次, 坐地铁上班, 跟奶奶住: again and again.
bool is_regular(View text) {
  const bool often = begins_with(text, std::to_array<View>({"一天", "一周", "一个月", "一年"})).size() > 0 &&
                     text.find("次") != View::npos;
  const bool way = begins_with(text, std::to_array<View>({"坐", "骑", "走路", "开车", "开一辆", "开的是"})).size() > 0;
  const bool goes = text.find("上班") != View::npos || text.find("上学") != View::npos || text.starts_with("开");
  return often || (way && goes) || (has_preposition(text) && text.find("住") != View::npos);
}

bool at_some_place(View text) {
  if (!text.starts_with("在")) return false;
  for (const View what : {"工作", "上班", "上学", "读书", "居住", "生活", "念书", "实习", "任职", "定居", "出差",
                          "旅行", "教", "打工", "开店", "当", "住", "长大"})
    if (text.find(what) != View::npos) return true;
  return false;
}

// 膝盖疼, 跑步脚踝有点不舒服, 称重76.3kg
bool ails(View text) {
  constexpr std::size_t kFar = 24;
  const bool weighs = text.find("称重") != View::npos || text.find("身高") != View::npos;
  return (has_any(text.substr(0, kFar), kBody) || weighs) && has_any(text, kAils);
}

// What is so again and again.
constexpr auto kEver = std::to_array<View>({"目前", "主要", "平时", "一直", "通常", "一般", "从小", "经常"});

}  // namespace

bool lasts_chinese(std::string_view rest, bool goes_on) {
  constexpr std::size_t kShortest = 9;  // three characters
  if (has_any(rest, kTalk)) return false;
  View text = trim_words(rest, " \t，,。！!");
  if (text.ends_with("时") || text.ends_with("时候") || text.ends_with("后")) return false;  // 做测试时
  for (const View both : {"俩", "两个人", "两个"})
    if (text.starts_with(both)) text.remove_prefix(both.size());
  if (!begins_with(text, kKin).empty()) return kin_lasts(text);
  const bool just = text.starts_with("刚") || text.starts_with("终于") || text.find("刚刚") < kShortest;
  const bool ever = has_any(text.substr(0, kShortest * 2), kEver);
  text = without_adverbs(text);
  if (text.size() < kShortest - 3 || text.starts_with("将") || text.starts_with("把")) return false;
  const View lasting = begins_with(text, kLasting);
  if (goes_on && lasting == "叫") return false;  // 养了一只猫，叫咪咪
  if (!lasting.empty() && lasting.size() >= begins_with(text, kInner).size())
    return text.size() > lasting.size() + 3 && !text.substr(lasting.size()).starts_with("先");
  if (!begins_with(text, kInner).empty()) return false;
  // 刚量完…, 刚从…回来
  if (just && (text.find("了") != View::npos || text.find("完") != View::npos || text.find("回来") != View::npos))
    return true;
  if (text.starts_with("有") && text.ends_with("习惯")) return true;
  if (ails(text) || is_done(text, just) || is_regular(text) || has_any(text, kTurns)) return true;
  if (goes_on) return false;
  return ever || has_thing(text) || is_something(text) || at_some_place(text) || !kind_of_person(text).empty();
}

bool begins_with_kin(std::string_view clause) { return !begins_with(clause, kKin).empty(); }

bool kin_lasts(std::string_view clause) {
  constexpr std::size_t kShortest = 6;
  const View kin = begins_with(clause, kKin);
  if (kin.empty() || has_any(clause, kTalk)) return false;
  View text = clause.substr(kin.size());
  if (text.starts_with("的")) return ails(text.substr(std::string_view("的").size()));
  text = without_adverbs(text);
  if (text.size() < kShortest) return false;
  static constexpr auto kOfKin =
      std::to_array<View>({"退休", "年纪", "身体", "不是经常", "不常", "很少", "不太会", "一"});
  if (has_any(text, kAils) && has_any(text, kBody)) return true;
  constexpr std::size_t kLongestPlace = 21;
  if (text.starts_with("在") && text.size() <= kLongestPlace) return true;
  if (text.starts_with("对") && (text.ends_with("感兴趣") || text.ends_with("过敏"))) return true;
  return is_something(text) || has_thing(text) || !begins_with(text, kLasting).empty() || is_done(text, false) ||
         has_any(text, kTurns) || at_some_place(text) || !begins_with(text, kOfKin).empty() ||
         text.find("岁") != View::npos;
}

bool own_thing_lasts_chinese(std::string_view rest) {
  constexpr std::size_t kLongest = 48;
  return rest.size() <= kLongest && !has_any(rest, kTalk) &&
         has_any(rest, std::to_array<View>(
                           {"坏了", "丢了", "被偷", "去世", "过世", "病了", "住院", "结婚", "离婚", "毕业", "生了"}));
}

bool ails_chinese(std::string_view clause) {
  static constexpr auto kOthers = std::to_array<View>({"我", "他", "她", "它", "说", "咱"});
  if (has_any(clause, kOthers)) return false;
  return !has_any(clause, kTalk) && ails(without_adverbs(clause));
}

}  // namespace weft
