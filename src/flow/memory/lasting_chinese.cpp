#include <algorithm>
#include <array>

#include "flow/memory/lasting.h"
#include "flow/memory/profile_statements.h"
#include "flow/memory/statement_readers.h"
#include "text/lexicon.h"

namespace weft {
namespace {

using View = std::string_view;

using List = std::span<const View>;

// What lexicon/zh/lasting.txt says; what each list is for stands there.
struct Words {
  List inner = lexicon("zh/lasting", "inner");
  List adverbs = lexicon("zh/lasting", "adverbs");
  List lasting = lexicon("zh/lasting", "lasting");
  List done = lexicon("zh/lasting", "done");
  List talk = lexicon("zh/lasting", "talk");
  List body = lexicon("zh/lasting", "body");
  List ails = lexicon("zh/lasting", "ails");
  List kin = lexicon("zh/lasting", "kin");
  List possessions = lexicon("zh/lasting", "possessions");
  List turns = lexicon("zh/lasting", "turns");
  List ever = lexicon("zh/lasting", "ever");
  List today = lexicon("zh/lasting", "today");
  List intentions = lexicon("zh/lasting", "intentions");
  List slight = lexicon("zh/lasting", "slight");
};

const Words& words() {
  static const Words all;
  return all;
}

View begins_with(View text, std::span<const View> words) {
  View best;
  for (const View word : words)
    if (text.starts_with(word) && word.size() > best.size()) best = word;
  return best;
}

bool has_any(View text, std::span<const View> words) {
  return std::any_of(words.begin(), words.end(), [&](View word) { return text.find(word) != View::npos; });
}

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
  for (View word = begins_with(text, words().adverbs); !word.empty(); word = begins_with(text, words().adverbs)) {
    // 准备, 每天: what only begins like an adverb.
    if (begins_with(text, words().lasting).size() >= word.size()) break;
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
  if (behind.starts_with("点") || behind.starts_with("了点") || behind.starts_with("了些")) return false;  // 买了点菜
  constexpr std::size_t kNear = 12;
  const View near = behind.substr(0, kNear);
  return just || near.find("了") != View::npos || near.find("过") != View::npos || near.find("完") != View::npos ||
         behind.ends_with("了");
}

// 买了, 参加过, 刚买: done.
bool is_done(View text, bool just) {
  const View verb = begins_with(text, words().done);
  if (!verb.empty()) return marks_done(text.substr(verb.size()), just);
  if (!has_preposition(text)) return false;
  for (const View one : words().done) {
    const auto at = text.find(one);
    if (at != View::npos && marks_done(text.substr(at + one.size()), false)) return true;
  }
  return false;
}

// 叫李雷: a name, and the clause is over.
bool is_called(View name) {
  return is_name_chinese(name) && begins_with(name, lexicon("zh/lasting", "called for")).empty() &&
         name.find("的") == View::npos;
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

// 没有车了, 没房子, 不再有驾照; not 没有车票, 没车来.
bool lacks_thing(View text) {
  for (const View lack : {"不再有", "没有了", "没有", "没"}) {
    if (!text.starts_with(lack)) continue;
    View what = text.substr(lack.size());
    for (const View one : {"自己的", "任何", "一辆", "一套", "一个"})
      if (what.starts_with(one)) what.remove_prefix(one.size());
    if (constexpr View kOver = "了"; what.ends_with(kOver)) what.remove_suffix(kOver.size());
    return std::find(words().possessions.begin(), words().possessions.end(), what) != words().possessions.end();
  }
  return false;
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

// 膝盖疼, 称重76.3kg; not 喉咙有点干
bool ails(View text) {
  constexpr std::size_t kFar = 24;
  const bool weighs = text.find("称重") != View::npos || text.find("身高") != View::npos;
  return (has_any(text.substr(0, kFar), words().body) || weighs) && has_any(text, words().ails) &&
         !has_any(text, words().slight);
}

}  // namespace

bool lasts_chinese(std::string_view rest, bool goes_on) {
  constexpr std::size_t kShortest = 9;  // three characters
  if (has_any(rest, words().talk)) return false;
  View text = trim_words(rest, " \t，,。！!");
  if (text.ends_with("时") || text.ends_with("时候") || text.ends_with("后")) return false;  // 做测试时
  for (const View both : {"俩", "两个人", "两个"})
    if (text.starts_with(both)) text.remove_prefix(both.size());
  if (!begins_with(text, words().kin).empty()) return kin_lasts(text);
  // 下午要启动…, 晚上计划看书
  if (has_any(text, words().today) && has_any(text, words().intentions)) return false;
  const bool just = text.starts_with("刚") || text.starts_with("终于") || text.find("刚刚") < kShortest;
  const bool ever = has_any(text.substr(0, kShortest * 2), words().ever);
  text = without_adverbs(text);
  if (text.size() < kShortest - 3 || text.starts_with("将") || text.starts_with("把")) return false;
  const View lasting = begins_with(text, words().lasting);
  // 养了一只猫，叫咪咪; 叫外卖的时候
  if (lasting == "叫" && (goes_on || !is_called(text.substr(lasting.size())))) return false;
  if (!lasting.empty() && lasting.size() >= begins_with(text, words().inner).size())
    return text.size() > lasting.size() + 3 && !text.substr(lasting.size()).starts_with("先");
  if (!begins_with(text, words().inner).empty()) return false;
  if (text.starts_with("有") && text.ends_with("习惯")) return true;
  if (ails(text) || is_done(text, just) || is_regular(text)) return true;
  if (goes_on) return !begins_with(text, words().turns).empty();  // 小王结婚了 is told of somebody else
  if (has_any(text, words().turns)) return true;
  return ever || has_thing(text) || lacks_thing(text) || is_something(text) || at_some_place(text) ||
         !kind_of_person(text).empty();
}

bool begins_with_kin(std::string_view clause) { return !begins_with(clause, words().kin).empty(); }

bool kin_lasts(std::string_view clause) {
  constexpr std::size_t kShortest = 6;
  const View kin = begins_with(clause, words().kin);
  if (kin.empty() || has_any(clause, words().talk)) return false;
  View text = clause.substr(kin.size());
  if (text.starts_with("的")) return ails(text.substr(std::string_view("的").size()));
  text = without_adverbs(text);
  if (text.size() < kShortest) return false;
  static constexpr auto kOfKin =
      std::to_array<View>({"退休", "年纪", "身体", "不是经常", "不常", "很少", "不太会", "一"});
  if (has_any(text, words().ails) && has_any(text, words().body)) return true;
  constexpr std::size_t kLongestPlace = 21;
  if (text.starts_with("在") && text.size() <= kLongestPlace) return true;
  if (text.starts_with("对") && (text.ends_with("感兴趣") || text.ends_with("过敏"))) return true;
  return is_something(text) || has_thing(text) || !begins_with(text, words().lasting).empty() || is_done(text, false) ||
         has_any(text, words().turns) || at_some_place(text) || !begins_with(text, kOfKin).empty() ||
         text.find("岁") != View::npos;
}

bool own_thing_lasts_chinese(std::string_view rest) {
  constexpr std::size_t kLongest = 48;
  return rest.size() <= kLongest && !has_any(rest, words().talk) &&
         has_any(rest, std::to_array<View>(
                           {"坏了", "丢了", "被偷", "去世", "过世", "病了", "住院", "结婚", "离婚", "毕业", "生了"}));
}

bool ails_chinese(std::string_view clause) {
  static constexpr auto kOthers = std::to_array<View>({"我", "他", "她", "它", "说", "咱"});
  if (has_any(clause, kOthers)) return false;
  return !has_any(clause, words().talk) && ails(without_adverbs(clause));
}

}  // namespace weft
